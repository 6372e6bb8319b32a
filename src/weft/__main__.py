"""`python -m weft` is the command `weft`."""

from weft.cli.main import main

if __name__ == "__main__":
    main(prog_name="weft")
