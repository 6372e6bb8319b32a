"""Which answers the conditions of a flow can have together, as far as comparisons with constants tell.

Each name is tried with the constants that it is compared with, values beside and between them, null, true and false.
Whatever is not a name (an attribute, a sum, a call) counts as a name of its own, and a comparison of two names as one
more that is true or false: so no answer that can be is ever left out.
"""

import ast
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, product
from typing import Final

from weft.model.expressions import Expression, ExpressionError, ExpressionFault, compile_expression

TRIED_MAX: Final = 20_000
OPEN: Final = 0
Answers = tuple[int, ...]
Possible = Callable[[Answers, Answers], bool]

MIXED: Final = (None, False, True, "", "\x01", "~")


def anything(before: Answers, after: Answers) -> bool:
    return True


def possible(texts: Sequence[str], changing: frozenset[str]) -> Possible:
    """Whether what is newly answered can be so, beside what was answered before of names that nobody changes."""
    vectors = truths(texts)
    if vectors is None:
        return anything
    lasting = [not (names_in(text) & changing) for text in texts]
    seen: dict[tuple[Answers, Answers], bool] = {}

    def judge(before: Answers, after: Answers) -> bool:
        known = seen.get((before, after))
        if known is None:
            asked = [
                (number, after[number] == 1)
                for number in range(len(texts))
                if after[number] != OPEN and (before[number] == OPEN or lasting[number])
            ]
            known = seen[before, after] = any(all(one[number] == said for number, said in asked) for one in vectors)
        return known

    return judge


def truths(texts: Sequence[str]) -> set[tuple[bool, ...]] | None:
    """All combinations of answers; none if there are too many values to try."""
    atoms = _Atoms()
    plain: list[Expression] = []
    for text in texts:
        try:
            plain.append(compile_expression(atoms.rewritten(text), None, {}))
        except (SyntaxError, ValueError, RecursionError, ExpressionFault):
            return None
    names = sorted({name for one in plain for name in one.names})
    domains = [atoms.domain(name) for name in names]
    count = 1
    for domain in domains:
        count *= len(domain)
    if count > TRIED_MAX:
        return None
    found: set[tuple[bool, ...]] = set()
    for values in product(*domains):
        scope: dict[str, object] = dict(zip(names, values, strict=True))
        try:
            found.add(tuple(bool(one(scope)) for one in plain))
        except ExpressionError:
            continue
    return found


def names_in(text: str) -> frozenset[str]:
    try:
        return frozenset(
            node.id for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Name)
        )
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()


class _Atoms(ast.NodeTransformer):
    """Turns expressions into ones over names compared with constants, and collects the constants."""

    def __init__(self) -> None:
        self.made: dict[str, str] = {}
        self.constants: dict[str, list[object]] = {}

    def rewritten(self, text: str) -> str:
        return ast.unparse(self.visit(ast.parse(text.strip(), mode="eval")))

    def domain(self, name: str) -> list[object]:
        if name.startswith("is_"):
            return [True, False]
        given = self.constants.get(name, [])
        numbers = sorted({0, 1, *(one for one in given if isinstance(one, int | float))})
        beside: list[object] = [*numbers, numbers[0] - 1, numbers[0] - 2, numbers[-1] + 1, numbers[-1] + 2]
        beside += [one + (other - one) * part for one, other in pairwise(numbers) for part in (0.5, 0.25)]
        texts: list[object] = [one + after for one in given if isinstance(one, str) for after in ("", "\x01", "~")]
        others = [one for one in given if not isinstance(one, int | float | str)]
        return list({repr(one): one for one in (*beside, *texts, *others, *MIXED)}.values())

    def opaque(self, node: ast.expr, kind: str) -> ast.Name:
        name = self.made.setdefault(ast.dump(node), f"{kind}_{len(self.made)}")
        return ast.Name(name, ast.Load())

    def learn(self, name: str, constants: Iterable[object]) -> None:
        self.constants.setdefault(name, []).extend(constants)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return self.opaque(node, "of")

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        operands = [node.left, *node.comparators]
        fixed = [_constants(one) for one in operands]
        free = [one for one, constants in zip(operands, fixed, strict=True) if constants is None]
        is_searched = any(isinstance(op, ast.In | ast.NotIn) for op in node.ops) and fixed[0] is not None
        is_ordered = any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
        has_lists = any(isinstance(one, list) for constants in fixed for one in (constants or ())[:1])
        if len(free) != 1 or is_searched or (is_ordered and has_lists):
            return self.opaque(node, "is")
        name = self.opaque(free[0], "of")
        self.learn(name.id, [value for constants in fixed for value in constants or ()])
        parts = [name if constants is None else one for one, constants in zip(operands, fixed, strict=True)]
        return ast.Compare(parts[0], node.ops, parts[1:])

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Expression | ast.BoolOp | ast.UnaryOp | ast.Constant | ast.boolop | ast.unaryop):
            return super().generic_visit(node)
        return self.opaque(node, "of") if isinstance(node, ast.expr) else node


def _constants(node: ast.expr) -> list[object] | None:
    """The values of a constant, or of a list of them."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    return [value, *value] if isinstance(value, list | tuple) else [value]
