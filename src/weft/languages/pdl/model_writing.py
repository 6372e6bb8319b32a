"""Writes task models and applications of PDL."""

from collections.abc import Collection, Iterator, Mapping

from weft.languages.text.error_writing import error_lines
from weft.languages.text.writing import INDENT, Lines, Losses, Names, names_in, number_text
from weft.model.definition import Activity, Application, Command, Function, Group, Named, Person, Rule, Task


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


class Models:
    """The task models of a text: name → clauses. Tasks that say the same share one."""

    def __init__(self, losses: Losses, failures_awaited: Collection[str], data: Collection[str]) -> None:
        self.losses = losses
        self.failures_awaited = failures_awaited
        self.data = data
        self._models: dict[str, list[str]] = {}
        self._names = Names()

    def write(self, lines: Lines) -> None:
        for name, model in self._models.items():
            lines.add()
            with lines.block(f"TASK {name}"):
                for line in "\n".join(model).split("\n"):
                    lines.add(line)

    def of(self, task: Task, inputs: tuple[str, ...], outputs: tuple[str, ...], wanted: str = "") -> str:
        said = list(self._how(task, inputs, outputs))
        if task.description:
            said.append(f"DESCRIPTION {quoted(task.description)};")
        priority = self.losses.priority(task)
        if priority:
            said.append(f"PRIORITY {priority};")
        if task.deadline is not None:
            if task.deadline.action == "fail" or task.deadline.warn_seconds:
                self.losses.add("what else its deadline does", task.name)
            days = task.deadline.seconds % 86_400 == 0 and task.deadline.seconds > 0
            size, unit = (86_400, "DAYS") if days else (3600, "HOURS")
            said.append(f"DEADLINE {number_text(task.deadline.seconds / size)} {unit};")
        said += self._when_it_fails(task)
        return self._named_model(task, said, wanted or f"Model-of-{task.name}")

    def _named_model(self, task: Task, said: list[str], wanted: str) -> str:
        """The name of a model that says this; that of a registered task is the name by which it is found."""
        match task.handler:
            case Named(name):
                wanted = name
            case Function(reference):
                wanted = reference.rpartition(":")[2].rpartition(".")[2]
            case _:
                same = [name for name, model in self._models.items() if model == said]
                if same:
                    return same[0]
        name = self._names.of(wanted)
        if self._models.setdefault(name, said) != said:
            name = self._names.of(f"{wanted} of {task.name}")
            self._models[name] = said
        if name != wanted and isinstance(task.handler, Named | Function):
            self.losses.add(f"that the registered task {wanted} does it", task.name)
        return name

    def _how(self, task: Task, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Iterator[str]:
        handler = task.handler
        match handler:
            case Person(role, _, application, offline):
                yield f"TYPE {'SEMI_AUTOMATIC' if application else 'MANUAL'};"
            case Group(users, role, _, application, offline):
                yield "TYPE COOPERATIVE;"
                if users:
                    yield f"USERS {', '.join(map(quoted, users))};"
            case Command(application, arguments, _):
                role, offline = "", False
                yield "TYPE AUTOMATIC;"
                if arguments != tuple(f"{{{name}}}" for name in inputs):
                    self.losses.add("the arguments of its command", task.name)
            case _:
                role, application, offline = "", "", False
                yield "TYPE TRANSACTIONAL;" if task.transaction != "none" else "TYPE AUTOMATIC;"
                if not isinstance(handler, Named | Function):
                    self.losses.add(f"how it is done, by {type(handler).__name__.lower()}", task.name)
                if task.transaction == "two_phase":
                    self.losses.add("that it commits in two phases", task.name)
        if role:
            yield f"ROLE {role if role.isidentifier() else quoted(role)};"
        if application:
            yield f"APPLICATION {application if application.isidentifier() else quoted(application)};"
        if offline:
            yield "DISCONNECTED_OPERATION TRUE;"

    def _when_it_fails(self, task: Task) -> Iterator[str]:
        rules = list(task.on_error)
        if not isinstance(task.handler, Person | Group):
            if task.name not in self.failures_awaited:
                if rules[-1:] == [Rule("ask")]:
                    rules.pop()
                elif not any(rule.action in ("ask", "fail") and not rule.error for rule in rules):
                    rules.append(Rule("fail"))
            if rules and rules[-1] == Rule("retry", times=rules[-1].times):
                yield f"RETRIES {rules.pop().times};"
        errors = error_lines(
            task, rules, self.losses, lambda one: self._alternative(task, one), self._condition, quoted
        )
        if errors:
            yield "\n".join(["ERRORS {", *(INDENT + line for line in errors), "}"])

    def _alternative(self, task: Task, activity: Activity) -> str | None:
        if not isinstance(activity, Task) or any(rule.alternate is not None for rule in activity.on_error):
            return None
        types: Mapping[str, str] = activity.input_sets[0].types
        wanted = activity.name.removesuffix(f"-for-{task.name}")
        return self.of(activity, tuple(types), tuple(activity.outcomes[0].types), wanted)

    def _condition(self, text: str) -> str | None:
        return text if names_in(text) <= set(self.data) else None


def write_application(lines: Lines, name: str, application: Application) -> None:
    with lines.block(f"APPLICATION {name}"):
        lines.add(f"FILENAME {quoted(application.file)};")
        if application.size_kilobytes:
            lines.add(f"SIZE {application.size_kilobytes};")
        for keyword, text in (("OS", application.os), ("CPU", application.cpu), ("INSTALLER", application.installer)):
            if text:
                lines.add(f"{keyword} {quoted(text)};")
        if application.hosts:
            lines.add(f"HOSTS {', '.join(map(quoted, application.hosts))};")
