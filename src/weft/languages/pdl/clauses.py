"""Reads the clauses of a block, each once and by its keyword, and tells what is wrong with their words."""

from typing import Final

from weft.languages.pdl.tree import Block, Clause
from weft.languages.text.faults import TextReport
from weft.languages.text.words import Word

TRUTHS: Final = {"true": True, "false": False}
UNITS: Final = {"hours": 3600, "hour": 3600, "days": 86_400, "day": 86_400}
FIGURE_MAX: Final = 15


class Clauses:
    """The clauses of one block."""

    def __init__(self, block: Block, what: str, report: TextReport) -> None:
        self.block = block
        self.what = f"{what} {block.name.text!r}"
        self.report = report
        self._found: dict[str, Clause] = {}
        for one in block.clauses:
            keyword = "FILENAME" if (what, one.keyword.text) == ("the application", "NAME") else one.keyword.text
            if self._found.setdefault(keyword, one) is not one:
                report.add("duplicate-name", one.keyword.span, f"{self.what} says {keyword} twice", "take one out")

    def has(self, keyword: str) -> bool:
        """Whether the clause is there and says something."""
        return bool(self.words(keyword))

    def get(self, keyword: str) -> Clause | None:
        return self._found.get(keyword)

    def words(self, keyword: str) -> tuple[Word, ...]:
        found = self._found.get(keyword)
        return found.words if found is not None else ()

    def text(self, keyword: str) -> str:
        return next((one.text for one in self.words(keyword)), "")

    def texts(self, keyword: str) -> tuple[str, ...]:
        return tuple(one.text for one in self.words(keyword))

    def wanted(self, keyword: str, advice: str) -> str:
        """The text of a clause that must be there."""
        text = self.text(keyword)
        if keyword not in self._found and self.block.is_whole:
            self.report.add("syntax", self.block.name.span, f"{self.what} has no {keyword}", advice)
        return text

    def number(self, keyword: str) -> float:
        """The number of a clause, 0 if it says none."""
        word = next(iter(self.words(keyword)), None)
        if word is None:
            return 0
        if len(word.text) > FIGURE_MAX:
            self.report.add("number", word.span, f"{word.text:.40} has too many digits", "give a smaller number")
            return 0
        return float(word.text) if "." in word.text else int(word.text)

    def whole(self, keyword: str, *, least: int | None = None) -> int:
        number = self.number(keyword)
        if number != int(number) or (least is not None and number < least):
            sort = "a whole number" if least is None else f"a whole number of {least} or more"
            self.report.add("number", self.words(keyword)[0].span, f"{keyword} wants {sort}, found {number}")
            return 0
        return int(number)

    def seconds(self, keyword: str) -> float:
        """A time in hours or days; hours if no unit is said."""
        words = self.words(keyword)
        number = self.number(keyword)
        if number < 0:
            self.report.add("number", words[0].span, f"{keyword} is {words[0].text}", "give a number of 0 or more")
            return 0
        unit = UNITS.get(words[1].text.lower()) if len(words) > 1 else 3600
        if unit is None:
            self.report.unknown(
                "unknown-name", words[1].span, f"there is no unit {words[1].text!r}", words[1].text,
                ("HOURS", "DAYS"), "write HOURS or DAYS",
            )  # fmt: skip
        return number * (unit or 0)

    def truth(self, keyword: str) -> bool:
        word = next(iter(self.words(keyword)), None)
        if word is None:
            return False
        found = TRUTHS.get(word.text.lower())
        if found is None:
            self.report.unknown(
                "unknown-name", word.span, f"{keyword} is TRUE or FALSE, not {word.text!r}", word.text,
                ("TRUE", "FALSE"), "write TRUE or FALSE",
            )  # fmt: skip
        return bool(found)

    def unused(self, why: str, *keywords: str) -> None:
        """Tells of clauses that say something which has no effect."""
        for keyword in keywords:
            found = self._found.get(keyword)
            if found is not None and found.words:
                self.report.add("left-out", found.keyword.span, f"{keyword} has no effect: {why}", "leave it out")
