# Everything from a fresh clone. Needs python3 (3.11 or newer), make and a package index; keeps its packages in .venv.

VENV := .venv
PYTHON := $(VENV)/bin/python
ARGS ?=

.PHONY: run test bench chaos conformance lint install
.DEFAULT_GOAL := run

run: install
	@exec $(PYTHON) manage.py up $(ARGS)

test: lint
	$(PYTHON) -m pytest $(ARGS)
	@$(MAKE) --no-print-directory conformance ARGS=

bench: install
	@exec $(PYTHON) -m tests.bench $(ARGS)

chaos: install
	@exec $(PYTHON) -m tests.chaos $(ARGS)

conformance: install
	@exec $(PYTHON) -m tests.conformance.run $(ARGS)

lint: install
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	PYTHONPATH=platform:mcp $(VENV)/bin/lint-imports
	$(PYTHON) manage.py check
	$(PYTHON) manage.py makemigrations --check --dry-run

# The checksum of what is installed stands in .venv; nothing happens while it is that of requirements.txt.
install:
	@set -e; wanted=$$(cksum < requirements.txt); \
	if [ "$$(cat $(VENV)/.installed 2>/dev/null)" != "$$wanted" ]; then \
		if ! $(PYTHON) -m pip --version >/dev/null 2>&1; then \
			found=; \
			for candidate in python3 python3.13 python3.12 python3.11; do \
				if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
					found=$$candidate; break; \
				fi; \
			done; \
			if [ -z "$$found" ]; then \
				echo "No Python 3.11 or newer was found; install one that is called python3 or python3.1x." >&2; exit 1; \
			fi; \
			if ! $$found -m venv --clear $(VENV) && ! virtualenv --clear -p $$found $(VENV); then \
				echo "Python cannot make a virtual environment; on Debian, install the package python3-venv." >&2; exit 1; \
			fi; \
		fi; \
		echo "Installing the packages of requirements.txt into $(VENV); this takes a minute or two."; \
		$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements.txt; \
		echo "$$wanted" > $(VENV)/.installed; \
	fi
