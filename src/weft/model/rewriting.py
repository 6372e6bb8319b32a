"""A definition with its tasks changed, wherever they stand; everything else stays as it is."""

from collections.abc import Callable

from msgspec.structs import replace

from weft.model.definition import Activity, Each, Flow, Net, Process, Task

Change = Callable[[Task], Task]


def with_tasks(process: Process, change: Change) -> Process:
    """The process with what `change` makes of each task; a process of which nothing changes is itself."""
    body = _changed(process.body, change)
    return process if body is process.body else replace(process, body=body)


def _changed(activity: Activity, change: Change) -> Activity:
    made: Activity = change(activity) if isinstance(activity, Task) else _inside(activity, change)
    if made.compensation is None and made.undo is None and not made.on_error:
        return made
    compensation = made.compensation and _changed(made.compensation, change)
    undo = made.undo and _changed(made.undo, change)
    alternates = [rule.alternate and _changed(rule.alternate, change) for rule in made.on_error]
    if (
        compensation is made.compensation
        and undo is made.undo
        and all(new is rule.alternate for new, rule in zip(alternates, made.on_error, strict=True))
    ):
        return made
    rules = tuple(replace(rule, alternate=new) for rule, new in zip(made.on_error, alternates, strict=True))
    return replace(made, compensation=compensation, undo=undo, on_error=rules)


def _inside(activity: Activity, change: Change) -> Activity:
    match activity:
        case Flow(children=children):
            changed = tuple(_changed(one, change) for one in children)
            is_same = all(new is old for new, old in zip(changed, children, strict=True))
            return activity if is_same else replace(activity, children=changed)
        case Each(body=body):
            new = _changed(body, change)
            return activity if new is body else replace(activity, body=new)
        case Net(transitions=transitions):
            made = tuple(
                one if one.operation is None else replace(one, operation=_changed(one.operation, change))
                for one in transitions
            )
            return activity if made == transitions else replace(activity, transitions=made)
        case _:
            return activity
