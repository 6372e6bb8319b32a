"""How texts in PDL are laid out: as the paper's example is."""

import re
from typing import Final

from weft.languages.pdl.building import GRAMMAR
from weft.languages.text.formatting import Layout

LAYOUT: Final = Layout(
    GRAMMAR,
    re.compile(r"/\*[\s\S]*?\*/|//[^\n]*"),
    prefixes=frozenset(("MINUS", "PLUS", "BANG")),
    callers=frozenset(("RPAR", "RSQB")),
)
