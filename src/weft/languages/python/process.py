"""`process`: gives a body of activities a name, inputs and variables, builds its definition, and has it judged."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from weft.languages.python.activities import Activity, Block
from weft.languages.python.build import Builder
from weft.languages.python.catalogue import Catalogue
from weft.languages.python.data import Given, constant
from weft.languages.python.mistakes import Mistake
from weft.languages.python.nets import Net
from weft.languages.python.parameters import Where
from weft.languages.python.scopes import Scope, Slot
from weft.languages.python.value_types import Types
from weft.model import definition
from weft.model.definition import InputSet, Process, Variable
from weft.model.faults import Invalid
from weft.model.wellformed import well_formed


def process(
    name: str,
    /,
    *,
    variables: Mapping[str, object] | None = None,
    version: str = "",
    input_sets: Mapping[str, Mapping[str, object]] | None = None,
    searchable: Sequence[str] = (),
    errors: Sequence[str] = (),
    **inputs: object,
) -> Callable[[Activity], Process]:
    """Makes a process of the activity that it is then called with.

    >>> buy = process("buy", order=Order, method=given(str, "card"))(reserve.into("seat") >> charge.into("payment"))

    Inputs are given with their types and are variables; what steps put into variables is what the process gives.
    `variables` gives a value to one that is read before it is written. `input_sets` names several ways to start.
    """
    sets = dict(input_sets or {})
    if inputs or not sets:
        sets = {"start": inputs, **sets}

    def built(body: Activity) -> Process:
        if not isinstance(body, Activity):
            raise Mistake(f"process({name!r}) is called with its body, an activity, not with {body!r}")
        with _without_collector():
            made = _Made(name, _root(name, body), sets, variables or {})
            return made.process(version, tuple(searchable), tuple(errors))

    return built


@contextmanager
def _without_collector() -> Iterator[None]:
    """Nearly all that is made here stays, and the garbage collector would walk it again and again for nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _root(name: str, body: Activity) -> Activity:
    """The body under the process's name: itself, if it is a block that nobody named or a compound of that name."""
    if isinstance(body, Block) and not body.said.name:
        return body.named(name)
    if isinstance(body, Block | Net) and body.said.name == name:
        return body
    return Block("serial", (body,)).named(name)


class _Made:
    """A process on its way from what was said to its definition."""

    def __init__(
        self,
        name: str,
        root: Activity,
        sets: Mapping[str, Mapping[str, object]],
        variables: Mapping[str, object],
    ) -> None:
        self.name = name
        self.root = root
        self.catalogue = Catalogue()
        self.types = Types(self.catalogue)
        self.scope = Scope(None, "home")
        self.sets = tuple(self._input_set(set_name, inputs) for set_name, inputs in sets.items())
        for variable, value in variables.items():
            self.scope.variables[variable] = Slot(variable, default=constant(value))

    def _input_set(self, set_name: str, inputs: Mapping[str, object]) -> InputSet:
        types: dict[str, str] = {}
        bindings: dict[str, definition.Sources] = {}
        for name, wanted in inputs.items():
            annotation = wanted.annotation if isinstance(wanted, Given) else wanted
            types[name] = self.catalogue.annotated(self.root, annotation, f"the input {name!r}")
            slot = self.scope.variables.setdefault(name, Slot(name, of_type=types[name], is_given=True))
            if slot.type != types[name]:
                slot.type = "any"
            if isinstance(wanted, Given):
                bindings[name] = (wanted.default,)
        return InputSet(set_name, None, bindings, types)

    def process(self, version: str, searchable: tuple[str, ...], errors: tuple[str, ...]) -> Process:
        builder = Builder(self.catalogue, self.types)
        self.catalogue.enter(self.root, self.scope)
        body = builder.build(self.root, Where(self.scope))
        if self.catalogue.faults:
            raise Invalid(f"the process {self.name!r}", list(dict.fromkeys(self.catalogue.faults)))
        declared = {name: builder.declared(slot) for name, slot in self.scope.variables.items()}
        assert isinstance(body, definition.Compound)
        made = {name: declared[name].type for name, slot in self.scope.variables.items() if slot.writers}
        outcomes = body.outcomes
        if isinstance(body, definition.Flow):
            bindings = {name: (Variable(name),) for name in made}
            outcomes = tuple(
                replace(one, bindings=bindings, types=made) if one.kind == "commit" and not one.bindings else one
                for one in outcomes
            )
        body = replace(body, input_sets=self.sets, variables={**body.variables, **declared}, outcomes=outcomes)
        return well_formed(
            Process(
                name=self.name,
                body=body,
                version=version,
                classes=self.catalogue.classes,
                errors=errors,
                searchable=searchable,
            )
        )
