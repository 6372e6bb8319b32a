"""How texts in MFDL are laid out: as the paper does, with braces on lines of their own."""

import re
from typing import Final

from weft.languages.mfdl.grammar import GRAMMAR
from weft.languages.text.formatting import Layout

CLAUSES: Final = frozenset(
    ("COMPENSATED_BY", "UNDONE_BY", "RETRY", "ERRORS", "CRITICAL", "NON_VITAL", "CRITICAL_NON_VITAL", "IDEMPOTENT",
     "PARTICIPANT", "RESOURCE", "CHECKPOINT", "WITH", "WHEN")
)  # fmt: skip

LAYOUT: Final = Layout(
    GRAMMAR,
    re.compile(r"/\*[\s\S]*?\*/|//[^\n]*"),
    trailing=CLAUSES | {"SEMICOLON", "COMMA", "RPAR"},
    headers=frozenset(("IF", "WHILE", "ELSE")),
    opens_on_own_line=True,
    prefixes=frozenset(("MINUS", "BANG")),
)
