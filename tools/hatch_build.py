"""Compiles the kernel with mypyc when a wheel is built with WEFT_COMPILE=1; otherwise does nothing.

pyproject.toml's [tool.weft] says which modules. An editable installation is never compiled: its sources would be
hidden by what was built from them.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNEL = Path("src/weft/kernel")
SETUP = """
from mypyc.build import mypycify
from setuptools import setup
setup(name="weft-kernel", packages=[], ext_modules=mypycify({modules!r}, opt_level="3"))
"""


def modules(root: Path) -> list[str]:
    """The files to compile, below `src`."""
    chosen = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["weft"]
    if chosen["compile"]:
        return list(chosen["compile"])
    left_out = {"__init__", *chosen["interpreted"]}
    found = sorted(path for path in (root / KERNEL).glob("*.py") if path.stem not in left_out)
    return [str(path.relative_to(root / "src")) for path in found]


class KernelHook(BuildHookInterface[Any]):
    """Adds the compiled modules to the wheel, beside their sources."""

    def wanted(self) -> bool:
        return os.environ.get("WEFT_COMPILE") == "1" and self.target_name == "wheel"

    def dependencies(self) -> list[str]:
        return ["mypy>=1.11", "setuptools", *self.metadata.core.dependencies] if self.wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not self.wanted() or version == "editable":
            return
        root = Path(self.root)
        work = root / "build" / "mypyc"
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(root / "src", work, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        (work / "mypy.ini").write_text("[mypy]\n", "utf-8")  # strictness is for `make check`, not for a user's build
        (work / "setup.py").write_text(SETUP.format(modules=modules(root)), "utf-8")
        subprocess.run([sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], cwd=work, check=True)
        built = sorted([*work.glob("*.so"), *(work / "weft").rglob("*.so")])
        if not built:
            raise RuntimeError("mypyc built nothing: see the lines above")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["force_include"].update({str(path): str(path.relative_to(work)) for path in built})
