"""The page on facts, commands and effects says what the kernel has."""

import kernel_pages


def test_the_page_is_as_the_kernel_makes_it() -> None:
    assert kernel_pages.PAGE.read_text("utf-8") == kernel_pages.page(), "run: python tools/kernel_pages.py"


def test_every_kind_says_what_it_means() -> None:
    assert "|  |\n" not in kernel_pages.page()
