"""Writes the error section of an activity, in the words that all text languages share."""

from collections.abc import Callable, Iterable

from weft.languages.text.writing import Losses, number_text, quoted, raw_errors
from weft.model.definition import Activity, Rule

UNITS = (("days", 86_400), ("hours", 3600), ("minutes", 60), ("seconds", 1))


def error_lines(
    activity: Activity,
    rules: Iterable[Rule],
    losses: Losses,
    alternative: Callable[[Activity], str | None],
    condition: Callable[[str], str | None] = str,
    quote: Callable[[str], str] = quoted,
) -> list[str]:
    """The lines of the section, without its braces. `alternative` and `condition` write what they can."""
    raw, rules = raw_errors(activity), list(rules)
    actions: dict[str, list[str]] = {error: [] for error in _in_order(list(raw), [rule.error for rule in rules])}
    for rule in rules:
        action = _action(activity, rule, losses, alternative, condition)
        if action is not None:
            actions[rule.error].append(action)
    return [
        _name(error)
        + (f" from {', '.join(map(quote, raw[error]))}" if error in raw else "")
        + (f": {', '.join(found)}" if found else "")
        + ";"
        for error, found in actions.items()
        if found or error in raw
    ]


def _in_order(mapped: list[str], ruled: list[str]) -> list[str]:
    """Errors with rules in their order, and each of the others before the one that follows it."""
    found = list(dict.fromkeys(ruled))
    for number, error in enumerate(mapped):
        if error not in found:
            behind = next((one for one in mapped[number:] if one in found), None)
            found.insert(found.index(behind) if behind is not None else len(found), error)
    return found


def _name(error: str) -> str:
    if not error:
        return "others"
    short = error.removeprefix("task.")
    return error if "." in short or not short.isidentifier() else short


def _action(
    activity: Activity,
    rule: Rule,
    losses: Losses,
    alternative: Callable[[Activity], str | None],
    condition: Callable[[str], str | None],
) -> str | None:
    if rule.action == "retry":
        if rule.when and condition(rule.when) is None:
            losses.add(f"that it is tried again when {rule.when}", activity.name)
            return None
        return retry_text(activity, rule, losses, condition)
    if rule.alternate is None:
        return rule.action
    written = alternative(rule.alternate)
    if written is None:
        losses.add(f"{rule.alternate.name}, which takes its place", activity.name)
        return None
    return f"alternative {written}"


def retry_text(activity: Activity, rule: Rule, losses: Losses, condition: Callable[[str], str | None] = str) -> str:
    if rule.delay_seconds and (rule.factor, rule.delay_seconds_max) != (1.0, 86_400.0):
        losses.add("that its retries wait longer each time", activity.name)
    words = ["retry"]
    words += [f"{rule.times} times"] if rule.times < 1_000_000 else []
    words += [f"after {duration_text(rule.delay_seconds)}"] if rule.delay_seconds else []
    words += [f"when ({condition(rule.when)})"] if rule.when else []
    return " ".join(words)


def duration_text(seconds: float) -> str:
    """In the largest unit that makes it a whole number."""
    unit, size = next((one for one in UNITS if seconds % one[1] == 0), UNITS[-1])
    return f"{number_text(seconds / size)} {unit}"
