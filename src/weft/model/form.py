"""What every part of a definition is: immutable plain data with a JSON form."""

from msgspec import Struct


class Form(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A misspelt field in the JSON form is refused, never passed over.

    A definition holds no circles, so the collector need not look at its hundred thousand parts.
    """
