# All that a user or developer of this checkout starts. The first target makes .venv from a bare Python 3.11;
# PYTHON=python3.12 chooses another interpreter.

PYTHON ?= python3
RUN := .venv/bin/python
PYTEST_ARGS ?=

.PHONY: demo test check lint simulate bench compiled docs dist clean ready ready-test ready-bench

demo: ready
	$(RUN) examples/demo.py

test: ready-test lint
	$(RUN) tools/tested.py $(PYTEST_ARGS)

check: ready-test lint
	$(RUN) -m pytest -q tests/tidy

lint: ready-test
	$(RUN) tools/lint.py

SEEDS ?= 1000
FIRST ?= 0

simulate: ready-test
	$(RUN) -m tests.simulation $(SEEDS) $(FIRST)

bench: ready-bench
	$(RUN) -m bench

compiled: ready-test
	$(RUN) tools/compiled.py

docs: ready-test
	$(RUN) tools/pages.py

dist: ready-test
	$(RUN) tools/dist.py

clean:
	rm -rf .venv build dist

ready:
	@"$(PYTHON)" tools/bootstrap.py

ready-test:
	@"$(PYTHON)" tools/bootstrap.py test

ready-bench:
	@"$(PYTHON)" tools/bootstrap.py bench
