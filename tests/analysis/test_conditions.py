"""Which answers conditions may have together: whatever happens with some values is among them."""

from random import Random

import pytest

from weft.analysis.conditions import possible, truths
from weft.model.expressions import ExpressionError, compile_expression

CONSTANTS = ("0", "1", "5", "2.5", "'a'", "'b'", "None", "True", "[1, 5]", "''")

VALUES = (None, True, False, -1, 0, 1, 2, 2.4, 2.5, 3, 5, 6, "", "a", "aa", "b", "c", [], [1, 5], [2])


def expression(random: Random, depth: int = 2) -> str:
    kind = (
        random.choice(("compare", "compare", "name", "not", "and", "or", "in", "chain", "names")) if depth else "name"
    )
    name, other = random.choice("xy"), random.choice("xy")
    if kind == "compare":
        return f"{name} {random.choice(('==', '!=', '<', '<=', '>', '>='))} {random.choice(CONSTANTS)}"
    if kind == "in":
        return random.choice((f"{name} in [1, 'a', 2]", f"1 in {name}", f"{name} not in [0, 5]"))
    if kind == "chain":
        return f"1 < {name} <= 5"
    if kind == "names":
        return random.choice((f"{name} == {other}", f"{name} + 1 > 3", f"len({name}) > 1"))
    if kind == "not":
        return f"not ({expression(random, depth - 1)})"
    if kind in ("and", "or"):
        return f"({expression(random, depth - 1)}) {kind} ({expression(random, depth - 1)})"
    return name


def test_no_combination_of_answers_that_values_give_is_left_out() -> None:
    random = Random(10)
    excluded = 0
    for _ in range(400):
        texts = [expression(random) for _ in range(random.randint(1, 3))]
        found = truths(texts)
        if found is None:
            continue
        excluded += len(found) < 2 ** len(texts)
        compiled = [compile_expression(text, None, {}) for text in texts]
        for x in VALUES:
            for y in VALUES:
                try:
                    said = tuple(bool(one({"x": x, "y": y})) for one in compiled)
                except ExpressionError:
                    continue
                assert said in found, (texts, x, y)
    assert excluded > 50


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["x > 1", "x <= 1"], {(True, False), (False, True)}),
        (["x == 'a'", "x == 'b'"], {(True, False), (False, True), (False, False)}),
        (["True"], {(True,)}),
        (["order.cents > 5", "order.cents > 9"], {(False, False), (True, False), (True, True)}),
    ],
)
def test_comparisons_with_constants_exclude_what_can_t_be(texts: list[str], expected: set[tuple[bool, ...]]) -> None:
    assert truths(texts) == expected


def test_an_answer_binds_later_ones_only_while_nobody_writes_its_names() -> None:
    texts = ["x > 1", "x <= 1"]
    lasting, changing = possible(texts, frozenset()), possible(texts, frozenset({"x"}))
    assert not lasting((1, 0), (1, 1))
    assert changing((1, 0), (1, 1))
    assert not changing((0, 0), (1, 1))
