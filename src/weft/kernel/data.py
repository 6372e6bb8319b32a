"""What expressions and parameters read: variables in scope, inputs, and the objects of what happened before."""

from weft.kernel import status
from weft.kernel.facts import Value, Values
from weft.kernel.state import CALLED, Frame
from weft.kernel.supply import FROM_CONSTANT, FROM_EXPRESSION, FROM_INPUT, FROM_OUTPUT, Supply
from weft.model.definition import Activity, Constant, Input, Output, Source, Variable
from weft.model.expressions import Expression

MISSING = object()


def read(frame: Frame, node: int, name: str) -> Value:
    """What a name means for what stands in compound `node`: the nearest variable, else input; null if none."""
    here, above = frame, node
    while above >= 0:
        execution = here.execution[above]
        if execution is not None:
            if execution.body is not None and name in execution.body.variables:
                return execution.body.variables[name]
            if name in execution.inputs:
                return execution.inputs[name]
        if above:
            above = here.plan.parent[above]
            continue
        if name in here.scope:
            return here.scope[name]
        if here.parent is None or here.role == CALLED:
            return None
        here, above = here.parent, here.parent_node
    return None


def taken_back(activity: Activity, inputs: Values, values: Values) -> Values:
    """The names that undo and compensation see: what the execution was given, what it gave, and what it wrote."""
    seen = {**inputs, **values}
    for variable, name in activity.writes.items():
        if name in values:
            seen[variable] = values[name]
    return seen


def environment(frame: Frame, node: int, expression: Expression) -> Values:
    return {name: read(frame, node, name) for name in expression.names}


def evaluate(frame: Frame, node: int, expression: Expression) -> Value:
    """May raise `ExpressionError`."""
    return expression(environment(frame, node, expression))


def supply(frame: Frame, compound: int, source: Supply) -> Value:
    """The source's value, or MISSING when it is not available. May raise `ExpressionError`."""
    kind = source.kind
    if kind == FROM_OUTPUT:
        execution = frame.execution[source.node]
        if execution is None:
            return MISSING
        if execution.outcome == source.name and frame.status[source.node] in (status.COMMITTED, status.ABORTED):
            return execution.values.get(source.object)
        if execution.marks is not None and source.name in execution.marks:
            return execution.marks[source.name].get(source.object)
        return MISSING
    if kind == FROM_INPUT:
        execution = frame.execution[source.node]
        if execution is None or execution.set != source.name or frame.status[source.node] == status.READY:
            return MISSING
        return execution.inputs.get(source.object)
    if kind == FROM_CONSTANT:
        return source.value
    if kind == FROM_EXPRESSION:
        assert source.expression is not None
        return evaluate(frame, compound, source.expression)
    return read(frame, compound, source.name)


def bound(frame: Frame, compound: int, bindings: list[tuple[str, list[Supply]]]) -> Values:
    """Each name with the value of its first available source."""
    values: Values = {}
    for name, sources in bindings:
        value: Value = None
        for source in sources:
            found = supply(frame, compound, source)
            if found is not MISSING:
                value = found
                break
        values[name] = value
    return values


def inputs_beside(frame: Frame, node: int, root: Activity, scope: Values) -> Values:
    """The parameters of a body, an undo, a compensation or an alternate: by binding, else the name in its scope."""
    one = root.input_sets[0]
    found: Values = {}
    for name in one.types:
        if name not in one.bindings:
            found[name] = scope[name] if name in scope else read(frame, node, name)
    for name, sources in one.bindings.items():
        found[name] = None
        for source in sources:
            value = value_beside(frame, node, source, scope)
            if value is not MISSING:
                found[name] = value
                break
    return found


def value_beside(frame: Frame, node: int, source: Source, scope: Values) -> Value:
    if isinstance(source, Output | Input):
        return object_beside(frame, node, source, scope)
    if isinstance(source, Variable):
        return scope[source.name] if source.name in scope else read(frame, node, source.name)
    if isinstance(source, Constant):
        return source.value
    expression = frame.plan.library.expression(source.text)
    seen = environment(frame, node, expression)
    seen.update({name: scope[name] for name in expression.names if name in scope})
    return expression(seen)


def object_beside(frame: Frame, node: int, source: Output | Input, scope: Values) -> Value:
    """An object of the activity beside which this runs, or of one that stands with it."""
    plan = frame.plan
    if source.activity == plan.activity[node].name:
        execution = frame.execution[node]
        given = {} if execution is None else execution.inputs
        return scope.get(source.object, given.get(source.object, MISSING))
    above = plan.parent[node]
    for near in [above, *plan.children[above]] if above >= 0 else ():
        if plan.activity[near].name == source.activity:
            if isinstance(source, Output):
                return supply(frame, above, Supply(FROM_OUTPUT, near, source.outcome, source.object))
            return supply(frame, above, Supply(FROM_INPUT, near, source.set, source.object))
    return MISSING
