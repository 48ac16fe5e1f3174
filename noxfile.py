"""One environment for each library that Samurai works with, since their pins differ: `make integrations`.

The versions that were tested stand in tests/integrations/requirements. `nox --session rllib` runs one of them.
With CI set, an environment is removed after its run: together they take some eight gigabytes.
"""

from __future__ import annotations

import os
import shutil

import nox

nox.options.default_venv_backend = "venv"
nox.options.reuse_venv = "yes"

REQUIREMENTS = "tests/integrations/requirements"
# Beside the tests of the library, those of the environments run with the versions that it asks for.
CORE = ("tests/test_env.py", "tests/test_vector_env.py")
TESTS = {
    "sb3": ("tests/test_wrappers.py", "tests/test_sb3.py", "tests/integrations/test_sb3_example.py"),
    "torchrl": ("tests/integrations/test_torchrl.py",),
    "tianshou": ("tests/integrations/test_tianshou.py",),
    "rllib": ("tests/integrations/test_rllib.py",),
    "agilerl": ("tests/integrations/test_agilerl.py",),
    "openspiel": ("tests/test_chance.py", "tests/integrations/test_open_spiel.py"),
}


def run(session: nox.Session) -> None:
    """Install a library and this package, and run the tests."""
    pip = ("--quiet", "--disable-pip-version-check")
    session.install(*pip, "--requirement", f"{REQUIREMENTS}/{session.name}.txt")
    session.install(*pip, "--no-deps", "--editable", ".")
    session.run("pip", "check", "--disable-pip-version-check", silent=True)
    options = ("-W", "default", "-o", "addopts=-ra --strict-markers")
    session.run("pytest", *options, *CORE, *TESTS[session.name], *session.posargs, env={"OMP_NUM_THREADS": "1"})
    if os.environ.get("CI"):
        shutil.rmtree(session.virtualenv.location)


for name in TESTS:
    nox.session(run, name=name)
