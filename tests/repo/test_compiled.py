"""The compiled kernel passes the tests of the patterns. `make compiled` builds it, and tries it whole."""

import os
import subprocess
import sys

import pytest

from bench import compiled
from tests.repo.bare import ROOT


def test_the_compiled_kernel_passes_the_kernel_s_tests() -> None:
    reason = compiled.why_not() or ("" if compiled.is_fresh() else "The compiled kernel is not built: `make compiled`.")
    if reason:
        pytest.skip(reason)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(compiled.TARGET), str(ROOT)))}
    environment.pop("COVERAGE_PROCESS_START", None)
    probe = (
        "from weft.kernel import decide, facts; print(decide.__file__.endswith('.py'), facts.__file__.endswith('.py'))"
    )
    asked = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, text=True, check=True)
    assert asked.stdout.split() == ["False", "True"], "the compiled modules are not the ones that are imported"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests/patterns"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
