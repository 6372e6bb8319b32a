"""JDL: jobs, collections, parametric jobs and DAGs as people write them, each job a command with its files."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.samples import expected, faults_of, model_of, texts
from weft.languages.jdl.reading import read
from weft.model.definition import Command, Flow, Output, Process, Task
from weft.model.faults import Invalid
from weft.testing import Trial


@pytest.mark.parametrize("path", texts("jdl", "accept"), ids=lambda path: path.name)
def test_a_text_is_read_as_the_model_beside_it(path: Path) -> None:
    assert model_of("jdl", path) == expected(path).read_text("utf-8")


@pytest.mark.parametrize("path", texts("jdl", "reject"), ids=lambda path: path.name)
def test_a_text_is_refused_with_the_faults_beside_it(path: Path) -> None:
    assert faults_of("jdl", path) == expected(path).read_text("utf-8")


def read_text(text: str) -> Process:
    reading = read(text.encode(), "jobs.jdl")
    (process,) = reading.processes
    assert not [fault for fault in reading.faults(process) if fault.severity == "error"]
    return process


NODES = "".join(f'{name} = [ description = [ Executable = "/bin/{name}"; ]; ]; ' for name in "ABCD")


@pytest.mark.parametrize(
    ("dependencies", "order"),
    [
        ("{ {A, B}, {B, C}, {C, D} }", ["A", "B", "C", "D"]),
        ("{ { {A, B}, C }, { C, {D} } }", ["AB", "C", "D"]),
        ("{ { {A, B}, {C, D} } }", ["AB", "CD"]),
        ("{ {{{A}, {B}}, {C}}, {A, D} }", ["AB", "CD"]),
        ("{ A, {B, C, D} }", ["A", "BCD"]),
        ('{ {"A", "b"}, {nodes.B, root.nodes.C} }', ["AD", "B", "C"]),
        ("{}", ["ABCD"]),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_jobs_wait_for_those_before_them(dependencies: str, order: list[str], inside: bool) -> None:
    said = f"dependencies = {dependencies};"
    text = f'[ Type = "dag"; nodes = [ {NODES} {said if inside else ""} ]; {"" if inside else said} ]'
    trial = Trial(read_text(text))
    for ready in order:
        assert sorted(trial.ready) == sorted(ready)
        for name in ready:
            trial.finish(name)
    assert trial.outcome == "done"


def test_what_fails_stops_only_what_follows_it() -> None:
    trial = Trial(read_text(f"nodes = [ {NODES} ]; dependencies = {{ {{A, B}}, {{C, D}} }};"))
    trial.fail("A", "task.exit")
    assert sorted(trial.ready) == ["C"]
    trial.finish("C")
    trial.finish("D")
    assert trial.outcome == "aborted"


def test_a_file_goes_from_the_job_that_leaves_it_to_the_one_that_is_given_it() -> None:
    process = read_text(
        """nodes = [
          A = [ description = [ Executable = "a"; OutputSandbox = { "x.txt", "y.txt" } ] ];
          B = [ description = [ Executable = "b"; InputSandbox = { ROOT.Nodes.a.Description.OutputSandbox[1] } ] ];
        ];"""
    )
    assert isinstance(process.body, Flow)
    last = process.body.children[-1]
    assert last.input_sets[0].bindings == {"y_txt": (Output("A", "done", "y_txt"),)}
    trial = Trial(process)
    assert trial.ready == ["A"]


def test_a_file_of_the_node_is_read_once_for_all_jobs_that_are_given_it() -> None:
    process = read_text(
        """InputSandbox = {"/data/in.txt", "run.sh"}; nodes = {
          [ NodeName = "A"; Executable = "run.sh"; ],
          [ NodeName = "B"; Executable = "run.sh"; InputSandbox = "/data/in.txt" ] };"""
    )
    assert isinstance(process.body, Flow)
    assert [one.name for one in process.body.children] == ["read-in_txt", "read-run_sh", "A", "B"]
    assert [process.applications["run_sh"].file, len(process.applications)] == ["run.sh", 1]


def test_ten_thousand_lines_are_read_in_two_seconds() -> None:
    nodes = "\n".join(
        f'n{i} = [ description = [\n Executable = "/x";\n InputSandbox = {{ "in{i}" }};\n\n OutputSandbox = "o"; ]; ];'
        for i in range(2_000)
    )
    pairs = ", ".join(f"{{n{i}, n{i + 1}}}" for i in range(1_999))
    before = time.process_time()
    process = read(f"[ nodes = [ {nodes}\n dependencies = {{ {pairs} }}; ]; ]".encode(), "x").processes[0]
    assert time.process_time() - before < 2
    assert isinstance(process.body, Flow)
    commands = [one for one in process.body.children if isinstance(one, Task) and isinstance(one.handler, Command)]
    assert len(commands) == 2_000


WORDS = st.sampled_from(
    [
        "[", "]", "{", "}", ";", ",", "=", "nodes", "A", "B", "Executable", '"x"', "InputSandbox", "5", "-",
        "true", "description", "dependencies", "Type", '"dag"', "// c\n", "/*", "*/", "# c\n", '"',
        "root.nodes.A.description.OutputSandbox[0]",
        "other.x > 3 && (y)", "(", ")", "Parameters", "_PARAM_", "\\", "é", "\x00", "file",
    ]
)  # fmt: skip
STATEMENTS = st.sampled_from(
    [
        'Executable = "x";', "nodes = [", "];", 'A = [ description = [ Executable = "x"; ]; ];', 'B = [ file = "f"; ];',
        "dependencies = { {A, B} };", 'Type = "dag";', 'C = [ Executable = "y"; InputSandbox = root.InputSandbox; ];',
        'InputSandbox = { "a*", "b" };', "Parameters = { 1, x };", 'JobType = "parametric";', "nodes = { [", "] };",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=30).map(" ".join) | st.lists(STATEMENTS, max_size=10).map("\n".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        reading = read(text.encode(), "x")
    except Invalid:
        return
    (process,) = reading.processes
    reading.faults(process)


@pytest.mark.parametrize("sign", ["[a=", "{", "(", "{a=", '"', "[", "/*", "a=b.c[", "a[0]"])
def test_deep_and_endless_texts_end_soon(sign: str) -> None:
    with pytest.raises(Invalid) as caught:
        read((sign * 50_000).encode(), "x")
    assert len(caught.value.faults) <= 50
