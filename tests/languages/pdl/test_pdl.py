"""PDL: right texts have their model and guards, wrong ones their faults, and the paper's example runs."""

import sqlite3
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages import examples
from weft import Answers, Ends, Engine, File, run, task
from weft.kernel import facts
from weft.languages import registry
from weft.languages.pdl.building import GRAMMAR
from weft.languages.pdl.data import Step, written_before
from weft.languages.pdl.reading import read
from weft.model.faults import Invalid

CREATION = examples.FOLDER / "pdl/accept/criacao_sistema_software.pdl"


@pytest.mark.parametrize("place", examples.texts("pdl", "accept"), ids=lambda place: place.stem)
def test_a_right_text_has_its_model_and_its_guards(place: Path) -> None:
    for file, content in examples.accepted(place):
        assert content == file.read_text("utf-8"), file.name


@pytest.mark.parametrize("place", examples.texts("pdl", "reject"), ids=lambda place: place.stem)
def test_a_wrong_text_has_these_faults_and_no_others(place: Path) -> None:
    for file, content in examples.rejected(place):
        assert content == file.read_text("utf-8"), file.name


@pytest.mark.parametrize("place", examples.texts("pdl", "accept"), ids=lambda place: place.stem)
def test_a_text_that_was_laid_out_says_the_same_and_stays_as_it_is(place: Path) -> None:
    language, content = registry.named("pdl"), place.read_bytes()
    made = language.format(content, place.name).encode()
    assert read(made, place.name).processes == read(content, place.name).processes
    assert language.format(made, place.name).encode() == made


# The paper's example.


def committed(told: tuple[facts.AnyFact, ...] | list[facts.AnyFact]) -> list[str]:
    return [fact.path for fact in told if isinstance(fact, facts.Committed)]


def test_the_paper_s_example_runs_one_task_after_the_other() -> None:
    [process] = read(CREATION.read_bytes(), CREATION.name).processes
    tasks = ["LevantarRequisitos", "ElaborarEspecificacao", "ImplementarClasses"]
    result = run(process, Answers(**dict.fromkeys(tasks)))
    assert result.outcome == "ended"
    assert committed(result.facts) == [*tasks, "CriacaoSistemaSoftware"]


def test_a_failed_task_of_the_paper_s_example_ends_the_process_since_nothing_can_start() -> None:
    [process] = read(CREATION.read_bytes(), CREATION.name).processes
    result = run(process, Answers(LevantarRequisitos=Ends("aborted")))
    assert result.outcome == "ended"
    assert committed(result.facts) == ["CriacaoSistemaSoftware"]


# What files alone can't show.

COUNTING = b"""
WORKFLOW p {
  STRING nome { VALUE "Ana"; }
  NUMBER soma { VALUE 1; }
  TASK a: Somar { IN_CONTEXT nome, soma; OUT_CONTEXT soma; }
  TASK b: Falhar { DEPENDS a -> SUCCEEDED; }
  TASK c: Contar { DEPENDS AND (a -> SUCCEEDED, b -> FAILED); IN_CONTEXT soma; }
  TASK d: Contar { DEPENDS OR (b -> SUCCEEDED, c -> FAILED); IN_CONTEXT soma; }
}
TASK Somar { TYPE AUTOMATIC; }
TASK Falhar { TYPE AUTOMATIC; RETRIES 2; }
TASK Contar { TYPE AUTOMATIC; }
"""


def test_automatic_tasks_are_registered_ones_and_data_go_from_one_to_the_next() -> None:
    tried: list[object] = []

    @task
    def Somar(nome: str, soma: float) -> float:
        return soma + len(nome)

    @task
    def Falhar() -> None:
        tried.append(None)
        raise OSError("no")

    @task
    def Contar(soma: float) -> None:
        tried.append(soma)

    [process] = read(COUNTING, "p.pdl").processes
    result = run(process, Somar, Falhar, Contar, nome="Bruno")
    assert tried == [None, None, None, 6]
    assert (result.outcome, result.values) == ("ended", {"soma": 6})
    assert committed(result.facts) == ["a", "c", "p"]


INVOICE = """
WORKFLOW Fatura {
  FILE Modelo { NAME "modelo.txt"; }
  FILE Fatura { NAME "/faturas/fatura.txt"; }
  QUERY Compras { DATABASE "vendas"; EXPRESSION "select item from compras order by item"; }
  STRING Cliente { VALUE "Ana"; }
  TASK gerar: Gerar { IN_CONTEXT Modelo, Compras, Cliente; OUT_CONTEXT Fatura, Cliente; }
  TASK conferir: Conferir { DEPENDS gerar -> SUCCEEDED; IN_CONTEXT Fatura; }
}
TASK Gerar { TYPE AUTOMATIC; APPLICATION Gerador; }
TASK Conferir { TYPE AUTOMATIC; }
APPLICATION Gerador { FILENAME "%s"; }
"""


def test_files_and_queries_are_read_when_the_task_is_ready_and_its_application_gets_them(tmp_path: Path) -> None:
    (tmp_path / "modelo.txt").write_text("Fatura de ", "utf-8")
    program = tmp_path / "gerador"
    program.write_text('#!/bin/sh\ncat "$1" > fatura.txt; shift; echo "$@" >> fatura.txt; echo Bruno\n', "utf-8")
    program.chmod(0o755)
    with sqlite3.connect(tmp_path / "vendas.db") as database:
        database.execute("create table compras (item text)")
        database.executemany("insert into compras values (?)", [("mesa",), ("cama",)])
    database.close()
    seen: list[object] = []

    @task(name="Conferir")
    def check(Fatura: File | None) -> None:  # noqa: N803
        seen.append(Fatura)

    allowed = {
        "commands": {"allow_commands": True, "directory": str(tmp_path)},
        "resources": {"vendas": {"url": f"sqlite:///{tmp_path}/vendas.db"}},
        "files": {"directories": [str(tmp_path)], "keep": str(tmp_path / "kept")},
    }
    [process] = read((INVOICE % program).encode(), "fatura.pdl").processes
    with Engine("memory:", tasks=[check], allow=allowed) as engine:
        result = engine.run(process)
    assert (result.outcome, result.values["Cliente"]) == ("ended", "Bruno")
    *fetched, generated, checked, whole = committed(result.facts)
    assert sorted(fetched) == ["query-Compras-for-gerar", "read-Modelo-for-gerar"]
    assert (generated, checked, whole) == ("gerar", "conferir", "Fatura")
    [invoice] = seen
    assert isinstance(invoice, File)
    [kept] = [path for path in (tmp_path / "kept").rglob("*") if path.is_file() and "mesa" in path.read_text("utf-8")]
    assert kept.read_text("utf-8") == 'Fatura de {"item":"cama"} {"item":"mesa"} Ana\n'


def test_a_file_is_fetched_where_no_task_before_can_have_written_it() -> None:
    steps = {
        "late": Step((), (), ("writer",)),
        "next": Step((), ("writer",), ()),
        "far": Step((), (), ("next", "around")),
        "writer": Step(("f", "g"), (), ()),
        "around": Step((), (), ("far",)),
    }
    assert written_before(steps, ["f", "x"]) == {"writer": 0, "late": 0, "next": 1, "around": 0, "far": 1}


def test_the_page_shows_the_grammar() -> None:
    assert examples.grammar_on("pdl.md") == examples.shown(GRAMMAR)


def test_ten_thousand_lines_are_read_in_two_seconds() -> None:
    text = CREATION.read_text("utf-8")
    read(text.encode(), "warm")
    at = text.index("TASK RedigirDocumento {")
    many = "".join(text[:at].replace("CriacaoSistemaSoftware", f"W{number}") for number in range(400)) + text[at:]
    assert many.count("\n") > 10_000
    began = time.process_time()
    assert len(read(many.encode(), "many.pdl").processes) == 400
    assert time.process_time() - began < 2


WORDS = [
    "WORKFLOW",
    "p",
    "{",
    "}",
    ";",
    ":",
    ",",
    "(",
    ")",
    "->",
    "TASK",
    "t",
    "M",
    "TYPE",
    "MANUAL",
    "FILE",
    "f",
    "NAME",
    '"x"',
    "12",
    "DEPENDS",
    "AND",
    "READY",
    "ROLE",
    "USERS",
    "QUERY",
    "DATABASE",
    "VALUE",
    "NUMBER",
    "STRING",
    "IN_CONTEXT",
    "APPLICATION",
    "DEADLINE",
    "HOURS",
    '"',
    "/*",
    "//",
    "§",
    "ERRORS",
    "FROM",
    "RETRIES",
]


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.lists(st.sampled_from(WORDS), max_size=80).map(" ".join), st.text(max_size=200)))
def test_no_text_hangs_or_breaks_it(text: str) -> None:
    with suppress(Invalid):
        assert read(text.encode("utf-8", "surrogatepass"), "t.pdl").processes


def test_a_right_text_cut_anywhere_is_refused_and_nothing_else() -> None:
    text = CREATION.read_bytes()
    for at in range(1, len(text) - 2, 29):
        with pytest.raises(Invalid):
            read(text[:at], "cut.pdl")


def test_many_wrong_names_are_told_soon_and_no_more_than_are_shown() -> None:
    tasks = "".join(f"TASK t{number}: M {{ DEPENDS u{number} -> FAILED; }}\n" for number in range(3_000))
    began = time.process_time()
    with pytest.raises(Invalid) as invalid:
        read(f"WORKFLOW p {{ {tasks} }} TASK M {{ TYPE MANUAL; }}".encode(), "many.pdl")
    assert len(invalid.value.faults) == 50
    assert time.process_time() - began < 4
