"""Formulas of the guard table as text, simplified as they are joined, and the opposite of a condition."""

import ast
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple


class Term(NamedTuple):
    """A formula's text; `level` is 0 for one that binds tightest, 1 for AND, 2 for OR."""

    text: str
    level: int = 0


TRUE: Final = Term("TRUE")
FALSE: Final = Term("FALSE")


def _joined(terms: Iterable[Term], sign: str, level: int, empty: Term, decides: Term) -> Term:
    found = list(dict.fromkeys(term for term in terms if term != empty))
    if decides in found:
        return decides
    if len(found) <= 1:
        return found[0] if found else empty
    return Term(sign.join(f"({one.text})" if one.level > level else one.text for one in found), level)


def both(*terms: Term) -> Term:
    return _joined(terms, " ∧ ", 1, TRUE, FALSE)


def either(*terms: Term) -> Term:
    return _joined(terms, " ∨ ", 2, FALSE, TRUE)


def at_least(count: int, terms: Sequence[Term]) -> Term:
    if count <= 0:
        return TRUE
    if count == 1:
        return either(*terms)
    if count == len(terms):
        return both(*terms)
    return Term(f"{count} of ({', '.join(term.text for term in terms)})")


def negated(condition: str) -> str:
    """The opposite of a condition: of a comparison by its operator, else with `not`.

    >>> negated("result2 == None"), negated("a and b")
    ('result2 != None', 'not (a and b)')
    """
    try:
        tree = ast.parse(condition.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"not ({condition})"
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return ast.unparse(tree.operand)
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        left, right = (ast.get_source_segment(condition.strip(), side) for side in (tree.left, tree.comparators[0]))
        return f"{left} {_OPPOSITES[type(tree.ops[0])]} {right}"
    return f"not {condition}" if isinstance(tree, ast.Name | ast.Attribute) else f"not ({condition})"


_OPPOSITES: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
