"""Mistakes in Python code that describes a process, told where they are made. Later ones come all at once, as `Invalid`."""


class Mistake(TypeError):
    """What was written can't be a process: the message says what, why, and what to write instead."""
