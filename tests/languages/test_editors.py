"""The grammars for editors are those that the languages have, and know every word of them."""

import json
import re

import pytest

import textmate
from tests.languages import examples
from weft.languages.registry import Language


def test_the_files_are_what_the_languages_give() -> None:
    expected = textmate.files()
    assert {file.name for file in textmate.FOLDER.iterdir()} == {file.name for file in expected}
    for file, content in expected.items():
        assert file.read_text("utf-8") == content, f"{file.name} is old: python tools/textmate.py"


@pytest.mark.parametrize("language", textmate.languages(), ids=lambda one: one.name)
def test_every_word_of_a_language_is_marked_in_its_examples(language: Language) -> None:
    patterns = [re.compile(one["match"]) for one in json.loads(_grammar(language))["patterns"] if "match" in one]
    words = {word.upper() for word in textmate.words_of(language)}
    assert len(words) > 20
    for text in examples.texts(language.name, "accept"):
        plain = re.sub(r'"[^"]*"|/\*[\s\S]*?\*/|//.*', "", text.read_text("utf-8"))
        for word in {word for word in re.findall(r"\w+", plain) if word.upper() in words and word.isupper()}:
            assert any(pattern.fullmatch(word) for pattern in patterns), word


def _grammar(language: Language) -> str:
    return (textmate.FOLDER / f"{language.name}.tmLanguage.json").read_text("utf-8")
