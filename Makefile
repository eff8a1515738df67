# make run     open the application           make check   style, types, texts
# make test    everything that must pass      make lock    renew the lock files
# make texts   list every text of the product
# make thorough the same with every case of the tests, as before a release
# make newest  the tests without a browser on the newest Python of this machine (TESTS="…": only these folders)
# make dist    a wheel and a source distribution in dist/
# make pictures take those of the README anew
# make cluster  start a cluster of two workers on this computer, for a trial

PYTHON ?= python3
ARGS   ?=
TESTS  ?=
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --disable-pip-version-check -qq
# Compiled files make the start a second faster; a machine may have them switched off.
COMPILED := env -u PYTHONDONTWRITEBYTECODE
COMPILE := $(COMPILED) $(BIN)/python -m compileall -q -j 0
# Formats scripts and style sheets, and checks the types of scripts; it would look for a newer version of itself.
DENO   := env DENO_DIR=$(VENV)/.deno DENO_NO_UPDATE_CHECK=1 $(BIN)/deno
# Assertions are not rewritten: in a fresh clone, each worker would spend more time on it than on loading the tests.
PYTEST := $(COMPILED) $(BIN)/pytest -q --assert=plain

.PHONY: run test thorough check lint texts tests units journeys lock newest dist pictures cluster clean
.DEFAULT_GOAL := run

run: $(VENV)/.installed
	@$(COMPILE) karenina_gui
	@$(BIN)/karenina-gui $(ARGS)

# Style and types are checked in the time that the tests without a browser leave; a mistake in either fails the whole.
test: $(VENV)/.installed-test
	@$(MAKE) --no-print-directory -j 2 lint units
	@$(MAKE) --no-print-directory journeys

thorough:
	@KARENINA_TESTS=thorough $(MAKE) --no-print-directory test

check: lint

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(DENO) fmt --check --config tests/javascript/deno.json static tests/javascript
	$(DENO) check --quiet --config tests/javascript/deno.json static tests/javascript
	$(BIN)/python -m tests.user_texts --check
	nice $(BIN)/mypy

# Every text of the product, with its place and kind.
texts: $(VENV)/.installed-test
	@$(BIN)/python -m tests.user_texts

tests: $(VENV)/.installed-test
	@$(MAKE) --no-print-directory units
	@$(MAKE) --no-print-directory journeys

# A third worker has the processor while tests of the other two wait for processes and time limits.
units: $(VENV)/.installed-test
	@$(COMPILE) karenina_gui
	$(PYTEST) -n 3 --dist loadfile --no-loadscope-reorder --ignore tests/browser --ignore tests/benchmarks $(TESTS)

# Browsers come apart from the rest, with the machine to themselves.
journeys: $(VENV)/.installed-test
	@$(COMPILE) karenina_gui
	@sh .ci/chromium.sh
	$(PYTEST) -n 2 --dist loadfile --no-loadscope-reorder tests/browser

$(VENV)/.installed: requirements.lock pyproject.toml
	@PYTHON=$(PYTHON) sh .ci/environment.sh $(VENV)
	@echo "Installing what the application needs (once; one to three minutes) ..."
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed requirements-test.lock
	@echo "Installing what the tests need ..."
	@$(PIP) --require-hashes -r requirements-test.lock
	@touch $@

lock: $(VENV)/.installed-test
	$(BIN)/uv pip compile pyproject.toml --universal --generate-hashes --python-version 3.11 --upgrade --quiet \
		--custom-compile-command "make lock" --group install --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --universal --generate-hashes --python-version 3.11 --upgrade --quiet \
		--custom-compile-command "make lock" --group install --group test --group check \
		--all-extras --constraint requirements.lock --output-file requirements-test.lock

# Beside `make test`, which takes `python3`: mistakes that only one of both versions has are found before they go in.
newest:
	@python=$$(sh .ci/newest_python.sh) && minor='import sys; print(sys.version_info.minor)' && \
		if [ "$$("$$python" -c "$$minor")" = "$$($(PYTHON) -c "$$minor")" ]; then \
			echo "$(PYTHON) is the newest Python here: make test has played it"; \
		else \
			echo "The tests without a browser with $$python" && \
			$(MAKE) --no-print-directory units PYTHON="$$python" VENV=.venv-newest; \
		fi

dist: $(VENV)/.installed
	$(BIN)/hatchling build -d dist

# The pictures of the README.
pictures: $(VENV)/.installed-test
	KARENINA_PICTURES=static/pictures $(BIN)/pytest -q tests/browser/test_pictures.py

# Until Ctrl+C. Used by  karenina-gui verify … --cluster tcp://127.0.0.1:8786  or in the settings of the application.
cluster: $(VENV)/.installed-test
	@trap 'kill $$(jobs -p)' EXIT; \
	$(BIN)/dask scheduler --host tcp://127.0.0.1:8786 --no-dashboard & \
	for name in first second; do $(BIN)/karenina-gui worker tcp://127.0.0.1:8786 --name $$name & done; \
	wait

clean:
	rm -rf $(VENV) .venv-newest build dist .mypy_cache .pytest_cache .ruff_cache
