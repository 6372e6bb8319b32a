"""Writes what a text in MFDL defines: activities by kind, with their parameters and types."""

import re
from typing import Final

from weft.languages.text.writing import Losses, Names
from weft.model.definition import Activity, Call, Function, Named, Outcome, Person, Task

NAME: Final = r"[A-Za-z_]\w*"
TYPES: Final = {"str": "string", "File": "file"}
PLAIN: Final = frozenset(("int", "float", "bool", "date", "time", "datetime", "decimal", "any", "str", "File"))
KINDS: Final = {"none": "NON_TRANS_ACTIVITY", "transactional": "TRANS_ACTIVITY", "two_phase": "2PC_TRANS_ACTIVITY"}
ARRAY: Final = re.compile(r"list\[(\w+)\]( \| null)?")


class Definitions:
    """The definitions of a text: name → what is said behind the kind."""

    def __init__(self, losses: Losses) -> None:
        self.losses = losses
        self.names = Names(allowed=NAME)
        self._found: dict[str, str] = {}

    def lines(self) -> list[str]:
        return list(self._found.values())

    def of(self, activity: Activity) -> tuple[str, list[tuple[str, str]]]:
        """The name of the definition that an activity has, and its parameters with their directions."""
        parameters = self.parameters(activity)
        wanted, text = self._text(activity, parameters)
        name = self.names.of(wanted)
        if self._found.setdefault(name, text.replace(" NAME ", f" {name} ", 1)) != text.replace(
            " NAME ", f" {name} ", 1
        ):
            name = self.names.of(f"{wanted}_{activity.name}")
            self._found[name] = text.replace(" NAME ", f" {name} ", 1)
        if name != wanted and not isinstance(getattr(activity, "handler", None), Person):
            self.losses.add(f"that {wanted} does it", activity.name)
        return name, [(direction, one) for direction, one, _ in parameters]

    def parameters(self, activity: Activity) -> list[tuple[str, str, str]]:
        """Direction, name and declaration."""
        inputs = activity.input_sets[0].types if activity.input_sets else {}
        outputs = done_of(activity).types
        found = [("INOUT" if name in outputs else "IN", name, of_type) for name, of_type in inputs.items()]
        found += [("OUT", name, of_type) for name, of_type in outputs.items() if name not in inputs]
        return [(direction, name, self.declared(name, of_type, activity.name)) for direction, name, of_type in found]

    def declared(self, name: str, of_type: str, of: str) -> str:
        """`int n` or `int n[]`."""
        if of_type in PLAIN:
            return f"{TYPES.get(of_type, of_type)} {name}"
        array = ARRAY.fullmatch(of_type)
        if array is not None and array[1] in PLAIN:
            if not array[2]:
                self.losses.add(f"that {name} is never NULL", of)
            return f"{TYPES.get(array[1], array[1])} {name}[]"
        bare = of_type.removesuffix(" | null")
        self.losses.add(f"the type {of_type} of {name}", of)
        return f"{TYPES.get(bare, bare) if bare in PLAIN else 'any'} {name}"

    def _text(self, activity: Activity, parameters: list[tuple[str, str, str]]) -> tuple[str, str]:
        listed = ", ".join(f"{direction} {declared}" for direction, _, declared in parameters)
        kind, wanted, rest = "NON_TRANS_ACTIVITY", activity.name, ""
        if isinstance(activity, Task):
            kind = KINDS[activity.transaction]
            resource = self.losses.resource(activity)
            rest += f" RESOURCE {resource}" if resource else ""
            rest += " WITH CHECKPOINT" if activity.checkpoint else ""
            match activity.handler:
                case Named(task):
                    wanted = task
                case Function(reference):
                    wanted = re.split(r"[:.]", reference)[-1]
                    self.losses.add(f"that {reference} does it", activity.name)
                case Person(role, title, application, offline):
                    kind, wanted = "USER_ACTIVITY", title or activity.name
                    rest += f" PARTICIPANT {role}" if re.fullmatch(NAME, role) else ""
                    if application or offline or (role and not re.fullmatch(NAME, role)):
                        self.losses.add("what else is said of who does it", activity.name)
                case handler:
                    self.losses.add(f"how it is done, by {type(handler).__name__.lower()}", activity.name)
        elif isinstance(activity, Call):
            wanted = activity.process
            self.losses.add(f"the process {wanted}, which it calls", activity.name)
        else:
            self.losses.add(f"how it is done, as a {type(activity).__name__.lower()}", activity.name)
        return wanted, f"{kind} NAME ({listed}){rest};"


def done_of(activity: Activity) -> Outcome:
    return next((one for one in activity.outcomes if one.kind == "commit"), activity.outcomes[0])
