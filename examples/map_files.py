"""A map over a thousand files: each is counted by itself, eight at a time, and the counts are summed up.

python examples/map_files.py
"""

import tempfile
from pathlib import Path

import weft
from weft import each, process, task

FILES = 1_000


@task
def list_files(folder: str) -> list[str]:
    return sorted(str(path) for path in Path(folder).glob("*.txt"))


@task
def count_words(file: str) -> int:
    return len(Path(file).read_text("utf-8").split())


@task
def add_up(counts: list[int | None]) -> int:
    return sum(count for count in counts if count is not None)


words = process("words", folder=str)(
    list_files.into("files") >> each("file", "files", count_words, at_most=8, into="counts") >> add_up.into("total")
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FILES):
            Path(folder, f"{number:04}.txt").write_text("word " * (number % 10), "utf-8")
        result = weft.run(words, folder=folder).expect("done")
    assert result.values["total"] == FILES // 10 * sum(range(10))
    print(
        f"{FILES:,} files have {result.values['total']:,} words; {len(result.facts):,} facts tell how that was found."
    )


if __name__ == "__main__":
    main()
