"""How OPENflow scripts are laid out."""

import re
from typing import Final

from weft.languages.openflow.building import GRAMMAR
from weft.languages.text.formatting import Layout

LAYOUT: Final = Layout(GRAMMAR, re.compile(r"/\*[\s\S]*?\*/|//[^\n]*"), prefixes=frozenset(("MINUS", "BANG")))
