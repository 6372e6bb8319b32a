"""`weft run --with FILE`: a process calls those of other files, in any language."""

from pathlib import Path

from click.testing import CliRunner

from weft.cli.main import main

MASTER = """<workflow ID="master"><place ID="a"><token><data><n>3</n></data></token></place><place ID="b"/>
  <transition ID="T"><inputPlace placeID="a" edgeExpression="x"/><outputPlace placeID="b" edgeExpression="y"/>
    <operation><o name="triple"/></operation></transition></workflow>"""
NET = """<workflow><place ID="x"/><place ID="y"/>
  <transition ID="t"><inputPlace placeID="x" edgeExpression="v"/>
    <outputPlace placeID="y" edgeExpression='v["n"] * 3'/></transition></workflow>"""
CODE = """
from weft import process, task

@task
def multiplied(x: dict[str, int]) -> int:
    return 3 * x["n"]

triple = process("triple", x=dict[str, int])(multiplied.into("y"))
"""


def test_what_it_calls_may_be_in_a_text_or_in_python(tmp_path: Path) -> None:
    (tmp_path / "master.xml").write_text(MASTER)
    (tmp_path / "triple.gwdl").write_text(NET)
    (tmp_path / "code_to_call.py").write_text(CODE)
    for other in ("triple.gwdl", "code_to_call.py"):
        done = CliRunner().invoke(main, ["run", str(tmp_path / "master.xml"), "--with", str(tmp_path / other)])
        assert (done.exit_code, done.output) == (0, "master: done\n  b: [9]\n")
    alone = CliRunner().invoke(main, ["run", str(tmp_path / "master.xml")])
    assert alone.exit_code == 1
    assert "no process 'triple'" in alone.output
