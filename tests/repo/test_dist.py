"""What is shipped: the wheel has the package and nothing else, and runs where nothing else is."""

import re
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import hatch_build
from tests.repo.bare import ROOT, environment


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True, env=environment())
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_has_the_typed_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert "weft/py.typed" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"weft", "weftwork"}
    modules = {name for name in names if name.endswith(".py")}
    assert modules == {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}


def test_the_wheel_is_for_every_machine(wheel: zipfile.ZipFile) -> None:
    assert Path(wheel.filename or "").name.endswith("-py3-none-any.whl")


def test_the_wheel_says_what_it_needs_and_what_it_offers(wheel: zipfile.ZipFile) -> None:
    (place,) = [name for name in wheel.namelist() if name.endswith("dist-info/METADATA")]
    metadata = Parser().parsestr(wheel.read(place).decode())
    assert metadata["Name"] == "weftwork"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert {"postgres", "web", "analysis", "dask", "otel", "lsp"} <= set(metadata.get_all("Provides-Extra") or [])
    base = [need for need in metadata.get_all("Requires-Dist") or [] if "extra ==" not in need]
    assert [need.partition(">")[0] for need in sorted(base)] == ["click", "lark", "lxml", "msgspec", "rich"]
    entry_points = wheel.read(place.replace("METADATA", "entry_points.txt")).decode()
    assert "weft = weft.cli.main:main" in entry_points


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "examples" / "demo.py").exists(), reason="examples/demo.py is not written yet")
def test_make_dist_installs_the_wheel_in_an_empty_environment_and_runs_the_demo_elsewhere() -> None:
    command = [sys.executable, ROOT / "tools" / "dist.py"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment(), timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert {path.suffix for path in (ROOT / "dist").iterdir()} == {".whl", ".gz"}


def test_mypyc_compiles_the_kernel_but_for_the_modules_of_structs() -> None:
    compiled = hatch_build.modules(ROOT)
    assert compiled
    sources = {name: (ROOT / "src" / name).read_text("utf-8") for name in compiled}
    with_structs = [name for name, text in sources.items() if re.search(r"^class \w+\(.*Struct", text, re.MULTILINE)]
    assert not with_structs, f"put these under `interpreted` in pyproject.toml's [tool.weft]: {with_structs}"
    assert {name.rpartition("/")[0] for name in compiled} == {"weft/kernel"}
