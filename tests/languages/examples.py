"""A language's examples: `accept/` has texts with their model and guards, `reject/` texts with their faults.

`python -m tests.languages.examples LANGUAGE` writes down what is expected of texts that have nothing beside them yet;
read it before you believe it.
"""

import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from weft.languages import registry
from weft.languages.text.parsing import Grammar
from weft.model.faults import Invalid
from weft.model.guard_table import guard_table, render
from weft.model.json_form import pretty
from weft.model.wellformed import well_formed

FOLDER = Path(__file__).parent
REFERENCE = FOLDER.parents[1] / "docs/reference"


def texts(language: str, kind: str) -> list[Path]:
    suffixes = registry.named(language).suffixes
    return sorted(one for one in (FOLDER / language / kind).iterdir() if one.suffix in suffixes)


def accepted(place: Path) -> Iterator[tuple[Path, str]]:
    """What is expected of a right text: file → content."""
    reading = registry.language_of(place.name, place.read_bytes()).read(place.read_bytes(), place.name)
    models, tables = [], []
    for process in reading.processes:
        well_formed(process)
        models.append(pretty(process))
        tables.append(render(guard_table(process)))
    yield place.with_suffix(".model.json"), "\n".join(models)
    yield place.with_suffix(".guards"), "\n".join(tables)


def rejected(place: Path) -> Iterator[tuple[Path, str]]:
    """What is expected of a wrong text: all its faults, those of the model too."""
    try:
        reading = registry.language_of(place.name, place.read_bytes()).read(place.read_bytes(), place.name)
    except Invalid as invalid:
        faults = list(invalid.faults)
    else:
        faults = [fault for process in reading.processes for fault in reading.faults(process)]
    yield place.with_suffix(".faults"), "".join(f"{fault}\n" for fault in faults)


def shown(grammar: Grammar) -> str:
    """The grammar as its page has it: the rules of all its files."""
    places = [one.split(":") for one in grammar.files]
    texts = [files(package).joinpath(file).read_text("utf-8") for package, file in places]
    return "\n\n".join(re.split(r"%declare|// Words", text)[0].rstrip() for text in texts) + "\n"


def grammar_on(page: str) -> str:
    """The grammar that a page of the reference shows."""
    [found] = re.findall(r"```lark\n([\s\S]*?)```", (REFERENCE / page).read_text("utf-8"))
    return found


def main(language: str) -> None:
    for kind, expected in (("accept", accepted), ("reject", rejected)):
        for place in texts(language, kind):
            for file, content in expected(place):
                if not file.exists():
                    file.write_text(content, "utf-8")
                    print("written:", file)


if __name__ == "__main__":
    main(sys.argv[1])
