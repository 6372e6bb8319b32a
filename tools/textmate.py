"""Writes the TextMate grammars in `editors/` from the grammars of the languages: `python tools/textmate.py`."""

import json
import re
import sys
from pathlib import Path

from weft.languages.registry import LANGUAGES, Language

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "editors"
DECLARING = [
    "ACTIVITY",
    "APPLICATION",
    "CLASS",
    "DEFINE_PROCESS",
    "FILE",
    "NUMBER",
    "QUERY",
    "STRING",
    "TASK",
    "TASKCLASS",
    "VAR",
    "WORKFLOW",
]
TYPES = [
    "any",
    "bool",
    "boolean",
    "date",
    "datetime",
    "decimal",
    "double",
    "file",
    "float",
    "int",
    "integer",
    "long",
    "real",
    "str",
    "string",
    "time",
]


def languages() -> list[Language]:
    return [one for one in LANGUAGES.values() if one.grammar]


def words_of(language: Language) -> list[str]:
    """The words of the language, and those for which its parser has patterns."""
    found = {sign for sign in language.parsed_by().signs.values() if re.fullmatch(r"\w+", sign)}
    patterns = {one.name for one in language.parsed_by().lark.terminals if one.name == "TWO_PHASE"}
    return sorted({*found, *(["2PC_TRANS_ACTIVITY", "2PC_TRANSACTIONAL_ACTIVITY"] if patterns else [])})


def grammar_of(language: Language) -> dict[str, object]:
    terminals = {one.name: one.pattern.flags for one in language.parsed_by().lark.terminals}
    case = "(?i)" if any("i" in flags for flags in terminals.values()) else ""
    name, words = language.name, words_of(language)
    declaring = [word for word in words if word.upper() in DECLARING]
    scoped = {
        f"storage.type.{name}": declaring,
        f"keyword.control.{name}": [word for word in words if word not in declaring],
        f"constant.language.{name}": ["null", "true", "false"],
    }
    if name != "pdl":  # whose data have no types
        scoped[f"support.type.{name}"] = [word for word in TYPES if word.upper() not in words]
    return {
        "name": language.title.partition(",")[0],
        "scopeName": f"source.{name}",
        "fileTypes": [suffix.removeprefix(".") for suffix in language.suffixes],
        "patterns": [
            {"name": f"comment.block.{name}", "begin": r"/\*", "end": r"\*/"},
            {"name": f"comment.line.double-slash.{name}", "match": "//.*$"},
            {
                "name": f"string.quoted.double.{name}",
                "begin": '"',
                "end": '"' if name == "pdl" else '"|$',
                "patterns": [
                    {"name": f"constant.character.escape.{name}", "match": '""' if name == "pdl" else r"\\."},
                ],
            },
            *([{"name": f"string.quoted.single.{name}", "match": r"'(?:\\.|[^'\\])*'"}] if name == "mfdl" else []),
            *(
                {"name": scope, "match": rf"{case}\b(?:{'|'.join(map(re.escape, listed))})\b"}
                for scope, listed in scoped.items()
            ),
            {"name": f"constant.numeric.{name}", "match": r"\b\d+(?:\.\d+)?\b"},
            {"name": f"keyword.operator.{name}", "match": r"→|->|==|!=|<=|>=|&&|\|\||[-+*/%<>=!]"},
            {"name": f"entity.name.function.{name}", "match": r"\b[A-Za-z_]\w*(?=\s*\()"},
        ],
    }


def package() -> dict[str, object]:
    """What Visual Studio Code reads of the folder when it is put among its extensions."""
    return {
        "name": "weft",
        "displayName": "Weft: MFDL, PDL and OPENflow script",
        "publisher": "weft",
        "version": "0.1.0",
        "engines": {"vscode": "^1.70.0"},
        "contributes": {
            "languages": [
                {
                    "id": one.name,
                    "aliases": [one.title.partition(",")[0]],
                    "extensions": list(one.suffixes),
                    "configuration": "./language-configuration.json",
                }
                for one in languages()
            ],
            "grammars": [
                {"language": one.name, "scopeName": f"source.{one.name}", "path": f"./{one.name}.tmLanguage.json"}
                for one in languages()
            ],
        },
    }


def files() -> dict[Path, str]:
    """Every generated file and what it should hold."""
    brackets = [["{", "}"], ["(", ")"], ["[", "]"]]
    configuration = {
        "comments": {"lineComment": "//", "blockComment": ["/*", "*/"]},
        "brackets": brackets,
        "autoClosingPairs": [*brackets, ['"', '"']],
    }
    found: dict[str, object] = {f"{one.name}.tmLanguage.json": grammar_of(one) for one in languages()}
    found |= {"package.json": package(), "language-configuration.json": configuration}
    return {FOLDER / name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in found.items()}


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for file, content in files().items():
        file.write_text(content, "utf-8")
        print(file.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
