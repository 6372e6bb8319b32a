"""Turns `docs` into static pages in `build/docs`, and says of every link inside them whether it leads somewhere."""

import html
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ["tutorial", "how-to", "reference", "explanation"]
TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} – Weft</title>
<link rel="stylesheet" href="{top}style.css">
<header><a href="{top}index.html">Weft</a><nav aria-label="Rooms">{rooms}</nav></header>
<main>
{body}
</main>
"""


@dataclass
class Page:
    """A Markdown file: what it links to, and what can be linked to in it."""

    path: Path
    tokens: list[Token]
    title: str = ""
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)


def parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def anchor(heading: str) -> str:
    """A heading's name in links: lower case, words joined by hyphens, as code hosts do it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def inline_links(token: Token) -> Iterator[str]:
    for child in token.children or []:
        address = child.attrGet("href") or child.attrGet("src")
        if isinstance(address, str):
            yield address


def read(path: Path) -> Page:
    page = Page(path, parser().parse(path.read_text("utf-8")))
    for opening, inside in zip(page.tokens, page.tokens[1:], strict=False):
        if opening.type == "heading_open":
            name = anchor(re.sub(r"[`*_]|\]\([^)]*\)", "", inside.content))
            opening.attrSet("id", name)
            page.anchors.add(name)
            page.title = page.title or inside.content.replace("`", "")
        if inside.type == "inline":
            page.links += inline_links(inside)
    return page


def pages_in(folder: Path) -> dict[Path, Page]:
    return {path: read(path) for path in sorted(folder.rglob("*.md"))}


def broken_links(page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    """One sentence for each link of a page that leads nowhere."""
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        if not target.exists():
            yield f"{page.path}: the link to {link} leads nowhere."
        elif parts.fragment and target.suffix == ".md":
            there = pages.get(target) or read(target)
            if parts.fragment not in there.anchors:
                yield f"{page.path}: {link} names a heading that {target.name} does not have."


def retarget(page: Page, folder: Path, target: Path) -> None:
    """Links between pages name the pages' HTML; files from outside `docs` are copied beside the pages."""
    for token in page.tokens:
        for child in token.children or []:
            address = child.attrGet("href")
            if not isinstance(address, str) or urlsplit(address).scheme:
                continue
            file = (page.path.parent / unquote(urlsplit(address).path)).resolve()
            if file.is_file() and not file.is_relative_to(folder):
                copy = target / "source" / file.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
                child.attrSet("href", f"{top_of(page, folder)}source/{quote(str(file.relative_to(ROOT)))}")
            else:
                child.attrSet("href", re.sub(r"\.md(#|$)", r".html\1", address))


def top_of(page: Page, folder: Path) -> str:
    return "../" * len(page.path.relative_to(folder).parent.parts)


def rendered(page: Page, folder: Path, target: Path) -> str:
    top = top_of(page, folder)
    rooms = "".join(f'<a href="{top}{room}/index.html">{room}</a>' for room in ROOMS)
    retarget(page, folder, target)
    markdown = parser()
    body = markdown.renderer.render(page.tokens, markdown.options, {})
    return TEMPLATE.format(title=html.escape(page.title), top=top, rooms=rooms, body=body)


def build(folder: Path, target: Path) -> list[str]:
    """Writes the site; returns what is wrong with it."""
    pages = pages_in(folder)
    faults = [fault for page in pages.values() for fault in broken_links(page, pages)]
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("*.md"))
    shutil.copy(Path(__file__).with_name("pages.css"), target / "style.css")
    for path, page in pages.items():
        written = target / path.relative_to(folder).with_suffix(".html")
        written.write_text(rendered(page, folder, target), "utf-8")
    return faults


def main() -> int:
    faults = build(ROOT / "docs", ROOT / "build" / "docs")
    print("\n".join(faults) or f"The pages are in {ROOT / 'build' / 'docs'}; begin with index.html.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
