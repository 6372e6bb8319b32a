"""The option `--language`, the same for every command that reads a text."""

import click

LANGUAGE = click.option(
    "--language", metavar="NAME", default="", help="The language of the text, if its suffix does not tell."
)
