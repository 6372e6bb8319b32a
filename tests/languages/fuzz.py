"""Broken and huge texts for every language: whatever comes, a reader soon gives a reading or faults, and no more.

`python -m tests.languages.fuzz LANGUAGE SECONDS [SEED]` looks for a text that breaks the language, and prints it.
"""

import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from weft.languages.registry import LANGUAGES, Language
from weft.model.faults import Invalid
from weft.model.json_form import to_json

FOLDER: Final = Path(__file__).parent
PIECE: Final = re.compile(rb"\w+|\s+|[^\w\s]")
NOISE: Final = [
    b"", b" ", b"\n", b'"', b"'", b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"/", b"&", b";", b",", b".", b":",
    b"=", b"->", b"\\", b"/*", b"*/", b"//", b"<!--", b"-->", b"<![CDATA[", b"%", b"$", b"#", b"0", b"-1", b"1e999",
    b"9" * 400, b"x" * 3000, b"null", b"true", "→§é😀".encode(), b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\x0b",
    b"&amp;", b"&x;", b"__import__('os')", b"open('/etc/passwd')", b"file:///etc/passwd", b"1.2.3", b"TASK", b"IF",
]  # fmt: skip
SECONDS_MAX: Final = 5.0
FORBIDDEN: Final = ("open", "socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.listdir")


class Broke(AssertionError):
    """A text did what no text may."""


@cache
def seeds(language: Language) -> list[bytes]:
    """Texts to start from."""
    folder = FOLDER / language.name
    suffixes = (*language.suffixes, *([".xml"] if language.roots else []), *([".json"] if language.keys else []))
    found = [
        place.read_bytes()
        for place in folder.rglob("*")
        if place.suffix in suffixes and ".expected." not in place.name and ".model." not in place.name
    ]
    if language.name == "json":
        for other in ("mfdl", "pdl"):
            for place in (FOLDER / other / "accept").glob(f"*.{other}"):
                found += [to_json(one) for one in LANGUAGES[other].read(place.read_bytes(), "x").processes]
    return found


def warm(language: Language) -> None:
    """Has everything imported that reading a text imports."""
    for one in seeds(language)[:3]:
        _read(language, one)


def mutated(rng: random.Random, texts: Sequence[bytes]) -> bytes:
    """One of the texts, with some of it left out, doubled, moved, mixed with another, or replaced by noise."""
    pieces = PIECE.findall(rng.choice(texts))
    others = PIECE.findall(rng.choice(texts))
    for _ in range(rng.choice((1, 1, 2, 3, 8, 30))):
        at, length = rng.randrange(len(pieces) + 1), rng.choice((0, 1, 1, 2, 5, 40))
        match rng.randrange(7):
            case 0:
                del pieces[at : at + length]
            case 1:
                pieces[at:at] = pieces[at : at + length] * rng.choice((1, 2, 50))
            case 2:
                pieces[at : at + length] = [rng.choice(NOISE)]
            case 3:
                pieces.insert(at, rng.choice(NOISE))
            case 4:
                start = rng.randrange(len(others) + 1)
                pieces[at:at] = others[start : start + length]
            case 5:
                pieces[at : at + length] = [rng.choice(pieces or [b""])]
            case _:
                pieces[at:at] = [rng.choice(NOISE) * rng.choice((2, 200, 3000))]
        if len(pieces) > 20_000:
            break
    return b"".join(pieces)


def try_text(language: Language, content: bytes) -> None:
    """Reads a text as a command does. Raises `Broke` for everything but a reading and `Invalid`."""
    began = time.process_time()
    with watched():
        _read(language, content)
    seconds = time.process_time() - began
    if seconds > SECONDS_MAX + len(content) / 200_000:
        raise Broke(f"it took {seconds:.1f} seconds for {len(content)} bytes")


def _read(language: Language, content: bytes) -> None:
    try:
        reading = language.read(content, "fuzz")
        for process in reading.processes:
            for fault in reading.faults(process):
                str(fault)
        if language.layout:
            made = language.format(content, "fuzz").encode()
            if language.format(made, "fuzz").encode() != made:
                raise Broke("formatting is not stable")
    except Invalid as invalid:
        str(invalid)
        if not invalid.faults:
            raise Broke("it is invalid without a fault") from None


def deep(language: Language) -> list[bytes]:
    """Texts that nest as deep as a text can."""
    opened = [
        b"(",
        b"[",
        b"{",
        b"<a>",
        b"-",
        b"not ",
        b"!",
        b"IF (x) ",
        b"A{",
        b'{"a":',
        b"[{",
        b"/*",
        b"f(",
        b"1+(",
        b"x[",
    ]
    texts = [one * 5_000 for one in opened]
    for seed in seeds(language)[:2]:
        for sign in (b"(", b"[", b"{", b">", b"=", b":"):
            head, found, tail = seed.partition(sign)
            texts += [head + sign * 3000 + tail, head + (found or sign) + opened[0] * 2000 + tail]
    return texts


_watched = False


def _hear(event: str, details: tuple[object, ...]) -> None:
    if _watched and event in FORBIDDEN:
        raise Broke(f"it did {event} {details!r:.100}")


@contextmanager
def watched() -> Iterator[None]:
    """In here, to open a file or reach the network is a failure."""
    global _watched
    _watched = True
    try:
        yield
    finally:
        _watched = False


sys.addaudithook(_hear)


def main(name: str, seconds: float, seed: int) -> int:
    language, rng, tried = LANGUAGES[name], random.Random(seed), 0
    texts = seeds(language)
    warm(language)
    end = time.monotonic() + seconds
    content = b""
    try:
        for content in deep(language):
            try_text(language, content)
        while time.monotonic() < end:
            content = mutated(rng, texts)
            try_text(language, content)
            tried += 1
            if tried % 50 == 0 and len(texts) < 400:
                texts.append(content[:50_000])
    except BaseException as error:
        file = Path(f"fuzz-{name}-{seed}.txt")
        file.write_bytes(content)
        print(f"after {tried} texts: {type(error).__name__}: {error!s:.300}\nthe text is in {file}")
        raise
    print(f"{name}: {tried} texts in {seconds:.0f} seconds, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1))
