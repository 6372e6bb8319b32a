"""The types of values in the model, in one place: their language, what fits what, and how Python's turn into them."""

from weft.model.type_annotations import from_annotation
from weft.model.type_fit import check, fits
from weft.model.type_language import (
    ANY,
    BOOL,
    BUILT_IN,
    FLOAT,
    INT,
    NULL,
    STR,
    TEXTUAL,
    DictOf,
    Field,
    File,
    ListOf,
    Literal,
    Named,
    ObjectClass,
    Simple,
    Type,
    TypeFault,
    Union,
    ancestry,
    class_faults,
    class_named,
    fields_of,
    near,
    parse,
    text,
    union,
)
from weft.model.type_values import ValueFault, exceeds, from_plain, size_of, to_plain

__all__ = [
    "ANY", "BOOL", "BUILT_IN", "FLOAT", "INT", "NULL", "STR", "TEXTUAL", "DictOf", "Field", "File", "ListOf", "Literal",
    "Named", "ObjectClass", "Simple", "Type", "TypeFault", "Union", "ValueFault", "ancestry", "check", "class_faults",
    "class_named", "exceeds", "fields_of", "fits", "from_annotation", "from_plain", "near", "parse", "size_of", "text",
    "to_plain", "union",
]  # fmt: skip
