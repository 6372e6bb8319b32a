"""What can go wrong with a store, split by who can do something about it. Each message says what to do."""


class StoreProblem(Exception):
    """The store can't be used as it was asked for."""


class CannotOpen(StoreProblem):
    """Something must be done first: another engine serves it, it is of another version, or it would lose data."""


class AlreadyServed(CannotOpen):
    """Another engine serves the store; it can be asked by command rows."""


class Unavailable(StoreProblem):
    """The store can't be read or written at present; it may be tried again."""


class Damaged(StoreProblem):
    """What the store holds can't be read."""


class TakenOver(StoreProblem):
    """Another process serves as this node now; this one must stop."""
