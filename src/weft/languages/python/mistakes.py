"""Mistakes in code that describes a process, told where they are made; later ones come together, as `Invalid`."""


class Mistake(TypeError):
    """What was written can't be a process: the message says what, why, and what to write instead."""
