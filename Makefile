PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m flows

.PHONY: demo test check install benchmarks clean

# The CPU build of torch is pinned and installed first: any other request may pull a CUDA build of several gigabytes.
$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25' 2>&1 | grep -v WARNING || true
	$(BIN)/pip install --quiet "$$(grep '^torch==' constraints.txt)"
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[embed,embedded,graph,ner,tokens,postgres,dask,ray,s3,gcs,azure,notebook,test]'
	touch $@

install: $(VENV)/ready

demo: install
	$(RUN) prepare demo
	$(RUN) evaluate --benchmarks demo --run demo \
	  --linkers "full,oracle,random,exact_match,similarity,schemagraphsql(endpoints=oracle),schemagraphsql(endpoints=similarity)"
	$(RUN) evaluate --benchmarks demo --run demo-model --limit-per-database 2 --model embedded \
	  --linkers "full,schemagraphsql(endpoints=similarity),schemagraphsql(style=compact)"
	$(RUN) show demo-cycles-01 --runs demo-model
	$(RUN) leaderboard demo-model --costs

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q -n 2 --dist loadfile -m "not slow"

test: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q -n 2 --dist loadfile

clean:
	rm -rf $(VENV) results build dist
