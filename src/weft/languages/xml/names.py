"""Names of the model for identifiers that are anything."""

import re
from collections.abc import Iterable
from typing import Final

NAME: Final = re.compile(r"[A-Za-z_][\w-]*")
_STRANGE: Final = re.compile(r"[^\w-]+")


def name_of(identifier: str) -> str:
    """The identifier itself if it may be a name, else one that is much like it.

    >>> name_of("page 1.2"), name_of("7")
    ('page_1_2', '_7')
    """
    if NAME.fullmatch(identifier):
        return identifier
    plain = _STRANGE.sub("_", identifier.strip()) or "_"
    return plain if NAME.match(plain) else f"_{plain}"


def names_of(identifiers: Iterable[str]) -> dict[str, str]:
    """A name of its own for each; those that may be names keep themselves.

    >>> names_of(["p.1", "p_1"])
    {'p_1': 'p_1', 'p.1': 'p_1-2'}
    """
    given = sorted(identifiers, key=lambda one: not NAME.fullmatch(one))
    taken: set[str] = set()
    found: dict[str, str] = {}
    for identifier in given:
        plain = made = name_of(identifier)
        number = 1
        while made in taken:
            number += 1
            made = f"{plain}-{number}"
        taken.add(made)
        found[identifier] = made
    return found
