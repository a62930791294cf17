# Averment's commands. `make` alone lists them.
# Everything is installed into .venv from PyPI, at the versions and hashes of the lock files.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
WORKERS ?= 4
.DEFAULT_GOAL := help
SPARK := $(VENV)/spark
.PHONY: help demo check test test-all spark lint format bench refit serve docs sbom lock clean real-parts mutate

help:  ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(UV):
	@sh scripts/make-venv.sh "$(PYTHON)" "$(VENV)"

$(VENV)/.runtime: $(UV) requirements.lock pyproject.toml
	@echo "installing Averment ..." >&2
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps -e .
	@# Compiled once, here: where bytecode may not be written, each command would compile all that it imports.
	@$(BIN)/python -m compileall -q -j 0 -x '/tests?/' $(VENV)/lib src/averment || true
	@# A jail sees the packages read-only, and would compile this one at every start.
	@env -u PYTHONDONTWRITEBYTECODE MPLCONFIGDIR=$(VENV)/matplotlib $(BIN)/python -c "import matplotlib.pyplot"
	@touch $@

$(VENV)/.test: $(VENV)/.runtime requirements-test.lock
	@echo "installing what the tests need ..." >&2
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements-test.lock
	@touch $@

demo: $(VENV)/.runtime  ## ask one question of the example data, show the answer and its proof
	@sh scripts/demo.sh $(BIN)/averment

real-parts:  # bubblewrap and Chromium for the tests, from Debian's packages when we may install them
	@sh scripts/real-parts.sh

$(SPARK)/.installed: $(VENV)/.test requirements-spark.lock scripts/make-spark.sh
	@echo "installing Spark ..." >&2
	@sh scripts/make-spark.sh $(UV) $(BIN)/python $(SPARK)
	@touch $@

spark: $(SPARK)/.installed  # a Spark of its own for the slow tests and bench/big_parquet.py; needs Java

check: $(VENV)/.test  ## the quick check: lint, floors, types and tests of what changed [BASE=main]
	@$(BIN)/python scripts/check.py $(or $(BASE),HEAD)

test: $(VENV)/.test real-parts  ## run lint and the tests that guard every change, about 15 minutes on two cores
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile -m "not thorough and not cluster"

test-all: $(VENV)/.test real-parts  ## run lint, every test, a real small model, Spark where Java is, and the wordings
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile -m "not cluster" --worlds 5000 --ignore tests/slow
	@$(BIN)/python -m pytest -q -rs tests/slow/test_small_model.py
	@if command -v java >/dev/null; then \
	  $(MAKE) --no-print-directory spark && $(BIN)/python -m pytest -q tests/slow --ignore tests/slow/test_small_model.py; \
	else echo "no Java here: the tests on a real Spark cluster were not run" >&2; fi
	@$(BIN)/python bench/wordings.py

lint: $(VENV)/.test  ## ruff, types, floors
	@$(BIN)/ruff format --check --quiet src tests bench examples scripts || { echo "run: make format" >&2; exit 1; }
	@$(BIN)/ruff check --quiet src tests bench examples scripts
	@$(BIN)/basedpyright --level error src
	@$(BIN)/lint-imports --no-cache

format: $(VENV)/.test  ## put the code in its standard form
	@$(BIN)/ruff format --quiet src tests bench examples scripts
	@$(BIN)/ruff check --quiet --fix src tests bench examples scripts

bench: $(VENV)/.test  ## measure against peers in the same run
	@$(BIN)/python bench/run.py all

refit: $(VENV)/.test  ## fit shipped weights again: NAME=cross, odds, answers, links, reader, intents, claims or hops [DATA=../shared] [MOST=N] [WRITE=1]
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python scripts/refit.py $(NAME) --data $(or $(DATA),../shared) --kept .refit --again $(if $(MOST),--most $(MOST)) $(if $(WRITE),--write)

mutate: $(VENV)/.test  ## put small defects into ROOM=ledger, guard, claims or judge; its tests must notice [MOST=60]
	@$(BIN)/python scripts/mutate.py $(ROOM) --most $(or $(MOST),60)

serve: $(VENV)/.runtime  ## serve the workbench on this machine
	@$(BIN)/averment serve

docs: $(VENV)/.test  ## build the documentation as a site into site/, every link checked
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

sbom: $(UV)  ## write dist/averment.cdx.json: every locked package with its version and hashes, in CycloneDX
	@mkdir -p dist
	@$(UV) tool run --quiet --from cyclonedx-bom==7.2.1 cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible -o dist/averment.cdx.json
	@echo dist/averment.cdx.json

lock: $(UV)  ## solve the dependencies again
	@$(UV) pip compile pyproject.toml requirements-weights.in --extra all --quiet --upgrade --no-header --no-emit-index-url --generate-hashes --universal -o requirements.lock
	@$(UV) pip compile pyproject.toml requirements-weights.in --extra test --quiet --upgrade --no-header --no-emit-index-url --generate-hashes --universal -c requirements.lock -o requirements-test.lock
	@sed -n 's/^pyspark-client==\([0-9.]*\).*/pyspark==\1/p' requirements-test.lock | $(UV) pip compile - --quiet --no-header --no-annotate --no-emit-index-url --generate-hashes --universal -o requirements-spark.lock
	@echo uv | $(UV) pip compile - --quiet --upgrade --no-header --no-annotate --no-emit-index-url --generate-hashes --universal -o requirements-uv.lock

clean:  ## remove the virtual environment and caches
	@rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis dist build site
