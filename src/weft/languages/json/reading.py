"""The JSON form as a language among others."""

from weft.languages.text.reading import Reading
from weft.languages.text.source import TEXT_LIMITS, TextLimits
from weft.model.json_form import from_json


def read(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading:
    """The process of a text in the JSON form. Its own limits hold, which are those of the model."""
    return Reading((from_json(content),))
