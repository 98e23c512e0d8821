# Two commands matter: `make run` and `make test`. Both install what is missing first.
PYTHON = .venv/bin/python
PACKAGES = rpa_site workflows gpu execution analytics sentences
# How many tests run side by side.
WORKERS ?= 2
# A worker that dies ends the run and names its test: a new one in its place would wait for ever for what was left.
PYTEST = $(PYTHON) -m pytest -n $(WORKERS) --dist loadfile --max-worker-restart=0

.PHONY: run models test test-fast lint audit bench bench-stream bench-perception bench-targeting bench-gpu bench-acts bench-pages bench-teaching mutation messages requirements vendor demo setup setup-dev
.DEFAULT_GOAL := run

setup:
	@tools/setup.sh run

setup-dev:
	@tools/setup.sh dev

models:
	@tools/setup.sh models

run: setup
	@$(PYTHON) manage.py migrate -v0
	@$(PYTHON) manage.py collectstatic --noinput -v0
	@$(PYTHON) manage.py first_admin
	@$(PYTHON) manage.py load_demo
	@exec $(PYTHON) tools/serve.py

test: setup-dev
	$(PYTEST)

test-fast: setup-dev
	$(PYTEST) -m "not display and not browser and not slow"

lint: setup-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy $(PACKAGES)
	.venv/bin/lint-imports
	$(PYTHON) manage.py makemigrations --check --dry-run

audit: setup-dev
	.venv/bin/bandit -q -r $(PACKAGES) tools -c pyproject.toml
	$(PYTHON) tools/secrets_scan.py
	@.venv/bin/pip-audit -r requirements.txt --no-deps --disable-pip || \
	  echo "pip-audit found the flaws named above, or could not finish: without its vulnerability data it says nothing."

bench: setup-dev
	$(PYTHON) -m tests.benchmarks.loop

bench-stream: setup-dev
	$(PYTHON) -m tests.benchmarks.stream

bench-perception:
	@tools/setup.sh bench
	$(PYTHON) -m tests.benchmarks.screens
	$(PYTHON) -m tests.benchmarks.perception

bench-targeting:
	@tools/setup.sh bench
	$(PYTHON) -m tests.benchmarks.drift
	$(PYTHON) -m tests.benchmarks.judging
	$(PYTHON) -m tests.benchmarks.targeting --whole

bench-acts:
	@tools/setup.sh bench
	$(PYTHON) -m tests.benchmarks.foreign

bench-pages: setup-dev
	$(PYTHON) -m tests.benchmarks.page_weight

bench-teaching: setup-dev
	$(PYTHON) -m tests.benchmarks.teaching

bench-gpu: setup-dev
	$(PYTHON) -m tests.benchmarks.gpu

mutation:
	@tools/setup.sh mutation
	nice $(PYTHON) -m tests.mutation

messages: setup-dev
	$(PYTHON) manage.py makemessages -l fr --ignore .venv --ignore build --ignore tests --ignore var --add-location file --no-wrap --no-obsolete
	$(PYTHON) manage.py compilemessages -l fr

requirements: setup-dev
	$(PYTHON) tools/requirements.py

vendor:
	tools/vendor.sh

demo: setup-dev
	$(PYTHON) tools/make_demo.py
