# A newcomer types `make demo` or `make test`; both install what they need into .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
SIZE   ?= full
KILLS  ?= 200
CASES  ?=
ONLY   ?=
CORE   := CMakeLists.txt $(filter-out core/tests/% core/fuzz/%,$(wildcard core/*/* core/*/*/* core/*/*/*/*))
# setuptools and wheel are for pyitlib, which comes as source only and is built without isolation as we are.
BUILD_TOOLS := cmake ninja nanobind scikit-build-core setuptools wheel
# One folder for the package and the core's plain tests, so that the core is compiled once for both.
EDITABLE    := --no-build-isolation --config-settings=build-dir=build/package --config-settings=cmake.define.BITMETER_TESTS=OFF -e

.DEFAULT_GOAL := help
.PHONY: help demo install lock sbom programs test test-gguf test-engines lint format core-test portable docs bench faults fuzz stub clean

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 20

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit(f"bitmeter needs Python 3.11 or newer; {sys.executable} is {v.major}.{v.minor}. Type: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

# The package in place (editable) and the tools that build its core. The demo needs no more; .dev holds .package.
SOURCES := $(BIN)/python pyproject.toml constraints.txt src/bitmeter/_version.py $(CORE)

$(VENV)/.package: $(SOURCES)
	@echo "Installing bitmeter and compiling its core into $(VENV) …"
	@$(PIP) install -c constraints.txt $(BUILD_TOOLS)
	@$(PIP) install -c constraints.txt $(EDITABLE) .
	@touch $@

$(VENV)/.dev: $(SOURCES)
	@echo "Installing bitmeter with its development tools and compiling its core into $(VENV) …"
ifdef LOCKED
	@awk '/^[^ #]/ { later = /^pyitlib==/ } !later' constraints-hashed.txt > $(VENV)/first.txt
	@$(PIP) install --require-hashes --no-deps -r $(VENV)/first.txt
	@$(PIP) install --require-hashes --no-deps --no-build-isolation -r constraints-hashed.txt
	@$(PIP) install --no-deps $(EDITABLE) .
else
	@$(PIP) install -c constraints.txt $(BUILD_TOOLS)
	@$(PIP) install -c constraints.txt $(EDITABLE) '.[dev]'
endif
	@touch $(VENV)/.package $@

install: $(VENV)/.dev  ## the package, editable, with all development tools; LOCKED=1 checks every file's hash

# The CPU build of torch is not on PyPI, so its hash is named here. llama-cpp-python is compiled by test-gguf alone.
TORCH_CPU := sha256:6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b

lock: $(BIN)/python  ## constraints-hashed.txt from constraints.txt: the hashes of every file of those versions
	@$(PIP) install -c constraints.txt uv
	@grep -v -e '^#' -e '^llama-cpp-python==' constraints.txt | \
	  $(BIN)/uv pip compile - --no-deps --generate-hashes --no-header --no-annotate --quiet -o $(VENV)/hashed.txt
	@{ echo '# Made by `make lock` from constraints.txt: the same versions, with the hashes of their files.'; \
	   sed 's|^torch==.*|&\n    --hash=$(TORCH_CPU) \\|' $(VENV)/hashed.txt; } > constraints-hashed.txt

# The tool has an environment of its own, so that it is no part of what it lists.
sbom: $(VENV)/.dev  ## dist/bitmeter.cdx.json: what an installation of all of this consists of (CycloneDX)
	@$(PYTHON) -m venv build/sbom
	@build/sbom/bin/python -m pip --disable-pip-version-check --quiet install cyclonedx-bom==7.5.0
	@mkdir -p dist
	build/sbom/bin/cyclonedx-py environment $(VENV) --pyproject pyproject.toml --output-reproducible -o dist/bitmeter.cdx.json
	$(BIN)/python .github/sbom.py dist/bitmeter.cdx.json $$($(BIN)/python -c 'import bitmeter; print(bitmeter.__version__)')

demo: $(VENV)/.package  ## install, then measure the embedded text: its entropy, and models on it
	@$(BIN)/bitmeter entropy --sample
	@echo
	@$(BIN)/bitmeter demo

# The tests open reports in Chromium, read tables with R and jq, and typeset them with LaTeX.
PROGRAMS         := chromedriver Rscript jq pdflatex
PROGRAM_PACKAGES := chromium chromium-driver r-base-core jq texlive-latex-base texlive-latex-recommended

programs:  ## the programs that the tests use, by apt-get where they are missing
	@missing=$$(for tool in $(PROGRAMS); do command -v $$tool >/dev/null || printf ' %s' $$tool; done); \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  missing="$$missing chromium"; \
	if [ -n "$$missing" ] && command -v apt-get >/dev/null; then \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends $(PROGRAM_PACKAGES) || exit 1; \
	elif [ -n "$$missing" ]; then \
	  echo "The tests use programs that are missing:$$missing."; \
	  case "$$missing" in *chrom*) \
	    echo "Those of the report need a browser: install Chromium (or Chrome) and the chromedriver of its version."; exit 1;; \
	  esac; \
	  echo "Those that read and typeset tables with R, jq and LaTeX are skipped."; \
	fi

# Lint runs on one core; the core's tests are compiled on the others meanwhile. A test builds the documentation.
test: $(VENV)/.dev programs  ## install, then everything that must be green
	@$(MAKE) --no-print-directory -j2 lint core-test
	$(BIN)/python -m pytest -n auto

test-gguf: $(VENV)/.dev  ## compile llama.cpp (many minutes), then test GGUF files with it
	@echo "Compiling llama.cpp, unless it is there already. This takes many minutes …"
	@CMAKE_ARGS="$${CMAKE_ARGS:--DLLAVA_BUILD=OFF}" $(PIP) install -c constraints.txt llama-cpp-python
	$(BIN)/python -m pytest tests/gguf tests/models/causal/gguf

test-engines: $(VENV)/.dev  ## install datasets, polars, DuckDB, Ray, datatrove, Data-Juicer, MLflow … (1 GB); test with them
	@$(PIP) install datasets polars duckdb "ray[data]" datatrove tldextract aiohttp py-data-juicer nemo-curator \
	  mlflow-skinny sqlalchemy alembic wandb
	$(BIN)/python -m pytest tests/engines

lint: $(VENV)/.dev  ## ruff, mypy and the word list
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tests/words.py

format: $(VENV)/.dev  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

CTEST := $(BIN)/ctest --output-on-failure --no-tests=error --parallel 4 --test-dir

# Ninja would take the jobs of `make -j` for its own, whose pipes it does not have.
core-test: $(VENV)/.dev  ## the core's own tests, plain and under sanitizers
	@$(BIN)/cmake -S . -B build/package -DBITMETER_TESTS=ON >/dev/null
	@MAKEFLAGS= $(BIN)/cmake --build build/package
	@$(CTEST) build/package
	@$(BIN)/cmake -S . -B build/sanitized -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DBITMETER_PYTHON=OFF -DBITMETER_TESTS=ON -DBITMETER_SANITIZE=ON -DBITMETER_PRECOMPILE=ON >/dev/null
	@MAKEFLAGS= $(BIN)/cmake --build build/sanitized
	@$(CTEST) build/sanitized

# The compilers, the emulators, and the packages of Debian and Ubuntu that have them. The tests run one by one: wine makes
# its folder at the first start, where two at once fail.
PORTABLE_TOOLS    := aarch64-linux-gnu-g++ qemu-aarch64 x86_64-w64-mingw32-g++-posix wine
PORTABLE_PACKAGES := g++-aarch64-linux-gnu qemu-user g++-mingw-w64-x86-64-posix wine wine64

$(VENV)/.cmake: $(BIN)/python constraints.txt
	@$(PIP) install -c constraints.txt cmake ninja
	@touch $@

portable: $(VENV)/.cmake  ## the core's own tests for ARM under qemu and for Windows under wine
	@missing=$$(for tool in $(PORTABLE_TOOLS); do command -v $$tool >/dev/null || printf ' %s' $$tool; done); \
	if [ -n "$$missing" ]; then \
	  if ! command -v apt-get >/dev/null; then \
	    echo "make portable needs these programs:$$missing."; \
	    echo "Install them: cross compilers for aarch64-linux-gnu and x86_64-w64-mingw32 (posix threads), qemu-user and wine."; \
	    exit 1; \
	  fi; \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends $(PORTABLE_PACKAGES) || exit 1; \
	fi
	@export WINEDEBUG=-all WINEPREFIX=$(abspath build)/wine; mkdir -p build; \
	for target in aarch64-linux x86_64-windows; do \
	  $(BIN)/cmake -S . -B build/portable-$$target -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DCMAKE_TOOLCHAIN_FILE=cmake/$$target.cmake -DBITMETER_PYTHON=OFF -DBITMETER_TESTS=ON >/dev/null && \
	  $(BIN)/cmake --build build/portable-$$target && \
	  $(CTEST) build/portable-$$target --parallel 1 || exit 1; \
	done

# Clang has libFuzzer; on Debian and Ubuntu its runtime is a package of its own.
SECONDS     ?= 60
PYTHON_RUNS ?= 10000
RUNS        ?=
TOTAL       ?= 0
JOBS        ?=

fuzz: $(VENV)/.dev  ## mutated files through every reader, under sanitizers; SECONDS=60 or RUNS=100000 for each target, TOTAL=10000000 for all
	@if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' | \
	    clang++ -x c++ -fsanitize=fuzzer,address,undefined -o /dev/null - 2>/dev/null; then \
	  if ! command -v apt-get >/dev/null; then \
	    echo "make fuzz needs clang++ with libFuzzer and the sanitizers (compiler-rt); install them."; exit 1; \
	  fi; \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends clang libclang-rt-dev || exit 1; \
	fi
	@$(BIN)/cmake -S . -B build/fuzz -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCMAKE_CXX_COMPILER=clang++ \
	  -DBITMETER_PYTHON=OFF -DBITMETER_FUZZ=ON >/dev/null
	@$(BIN)/cmake --build build/fuzz
	$(BIN)/python fuzz/run.py --build build/fuzz --seconds $(SECONDS) --python-runs $(PYTHON_RUNS) \
	  --total $(TOTAL) $(if $(RUNS),--runs $(RUNS)) $(if $(JOBS),--jobs $(JOBS))

docs: $(VENV)/.dev  ## the documentation, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench: $(VENV)/.dev  ## our figures and the peers', in one run; SIZE=small takes about two minutes
	$(BIN)/python benchmarks/suite.py --size $(SIZE)

faults: $(VENV)/.dev  ## every long verb killed, starved and misled: what it leaves, and whether it can be run again; KILLS=20 is short, ONLY=score,serve
	$(BIN)/python faults/campaign.py --kills $(KILLS) $(if $(CASES),--cases $(CASES)) \
	  $(if $(JOBS),--workers $(JOBS)) $(if $(ONLY),--only "$(ONLY)")

stub: $(VENV)/.dev  ## regenerate the core's type stub
	$(BIN)/python -m nanobind.stubgen -m bitmeter._core -o src/bitmeter/_core.pyi

clean:  ## remove all that was made
	rm -rf $(VENV) build site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
