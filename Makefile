# `make reproduce` and `make test` each do the whole set-up first; nothing uses the network after it.

# Byte for byte the same on every machine: no hash order, display, thread count, zone, locale or clock.
export PYTHONHASHSEED = 0
export MPLBACKEND = Agg
export OMP_NUM_THREADS = 1
export OPENBLAS_NUM_THREADS = 1
export MKL_NUM_THREADS = 1
export TZ = UTC
export LC_ALL = C.UTF-8
export SOURCE_DATE_EPOCH = 1767225600

SETUP = sh .ci/setup
PY = .venv/bin/python
UNISON = $(PY) -m unison.cli

# --name "value" where NAME=value stands on make's command line; the shell reads it, so spaces are safe.
option = $(if $(findstring command line,$(origin $(1))),--$(2) "$$$(1)")
OPTIONS = $(call option,CORPUS,corpus) $(call option,OUT,out)
PROFILE_OPTION = $(call option,PROFILE,profile)

# $(call timed,MINUTES,COMMAND): the minutes that a target is expected to take, and those that it took, on stderr.
# The commands of the notebooks tell them by themselves.
timed = @echo "make $@: about $(1) min" >&2; begun=$$(date +%s); $(2); status=$$?; \
  tenths=$$((($$(date +%s) - begun + 3) / 6)); \
  echo "make $@: $$((tenths / 10)).$$((tenths % 10)) min (expected $(1))" >&2; exit $$status

.DEFAULT_GOAL := help
.PHONY: help reproduce smoke targets test lint typecheck faults verify real site browser rtl-formal rtl-mutants rtl-full bench lab setup lock clean distclean

reproduce: setup ## Every table and figure, full size (CORPUS=file or name: on that input)
	$(UNISON) reproduce $(PROFILE_OPTION) $(OPTIONS)

smoke: setup ## The same at a small size, in minutes
	$(UNISON) reproduce --profile smoke $(OPTIONS)

tab%: setup ## One table, e.g. make tab02 (CORPUS=, PROFILE=smoke as above)
	$(UNISON) reproduce --only $@ $(PROFILE_OPTION) $(OPTIONS)

fig%: setup ## One figure, e.g. make fig07
	$(UNISON) reproduce --only $@ $(PROFILE_OPTION) $(OPTIONS)

claims: setup ## The ledger of claims, from the tables that are there: figures/claims.md, .csv
	$(UNISON) reproduce --only $@ $(PROFILE_OPTION) $(OPTIONS)

check: setup ## Only the comparison: paper, ours, verdict; fails with a claim that must hold
	$(call timed,0.1,$(UNISON) claims)

targets: setup ## List every table and figure with its command and minutes
	$(UNISON) targets

test: lint typecheck browser ## Lint, types and every test, warnings being errors (ARGS="-k name": some)
	$(call timed,8.0,$(PY) -m pytest --durations=10 $(ARGS))

lint: setup ## Style and spelling of the sources and notebooks
	$(call timed,0.1,$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m codespell_lib)

typecheck: setup ## Types of the package
	$(call timed,0.5,$(PY) -m mypy --strict unison)

faults: setup ## Plant a fault at every stage and show which check catches it
	$(call timed,0.5,$(UNISON) faults)

verify: setup ## Reproduce into build/ and fail if a committed product would change
	$(UNISON) verify

real: setup ## The tables on real traces: make real TRACES=folder of imported .parquet files
	@test -n "$$TRACES" || { echo "make real: name the folder of imported traces, TRACES=folder" >&2; exit 2; }
	$(call timed,2.0,$(UNISON) real "$$TRACES")

site: setup ## Notebooks, figures, claims and API as web pages in build/site (OUT=folder: there)
	$(call timed,0.3,$(UNISON) site $(call option,OUT,out))

browser: ## Chromium for the tests of the pages, from Debian's packages; without it they are skipped
	@mkdir -p build
	@command -v chromedriver >build/browser.log || { test "$$(id -u)" = 0 && command -v apt-get && \
	  export DEBIAN_FRONTEND=noninteractive && timeout 60 apt-get update -qq && \
	  timeout 600 apt-get install -y -qq --no-install-recommends chromium chromium-driver; } >build/browser.log 2>&1 || \
	  echo "browser: no Chromium here and none installed (build/browser.log): the tests of the pages are skipped"

rtl-formal: setup ## Prove properties of every Verilog variant, by module: figures/rtl
	$(call timed,17.0,$(UNISON) rtl formal --save)

rtl-mutants: setup ## Plant faults in the Verilog; each must turn cosimulation or a proof red: figures/rtl
	$(call timed,5.0,$(UNISON) rtl mutants --save)

rtl-full: setup ## Every Verilog variant on every corpus and envelope, and random events: figures/rtl
	$(call timed,4.0,$(UNISON) rtl full)

bench: setup ## Speed of the replay on this machine
	$(call timed,3.0,$(UNISON) bench)

lab: setup ## The notebooks in JupyterLab (ARGS="--no-browser": more options)
	$(PY) -m jupyterlab $(ARGS) notebooks

setup: ## Only the set-up: .venv from requirements.lock (PYTHON=python3.12: with that one)
	@$(SETUP)

lock: setup ## Resolve pyproject.toml into requirements.lock again (needs the network)
	$(PY) -m venv --clear build/lock
	build/lock/bin/python -m pip install --quiet uv
	build/lock/bin/python -m uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	  --fork-strategy fewest --no-emit-index-url --all-extras --custom-compile-command "make lock" \
	  $(ARGS) --output-file requirements.lock pyproject.toml

clean: ## Remove build/ and caches
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . \( -path ./.venv -o -path ./.git \) -prune -o \
	  -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

distclean: clean ## Remove .venv too
	rm -rf .venv

help: ## This list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { sub(/%/, "NN", $$1); printf "make %-10s %s\n", $$1, $$2 }' Makefile
