# Two commands matter: `make run` and `make test`. Both install what is missing first.
PYTHON = .venv/bin/python
PACKAGES = rpa_site workflows gpu execution analytics audit sentences
# How many tests run side by side.
WORKERS ?= 2
# A worker that dies ends the run and names its test: a new one in its place would wait for ever for what was left.
PYTEST = $(PYTHON) -m pytest -n $(WORKERS) --dist loadfile --max-worker-restart=0

.PHONY: run models test test-fast test-database test-postgres lint audit bench bench-stream bench-perception bench-targeting bench-gpu bench-acts bench-pages bench-teaching bench-analytics bench-learning bench-coached bench-replay bench-many mutation messages requirements vendor demo setup setup-dev
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
	$(PYTEST) --durations=40

test-fast: setup-dev
	$(PYTEST) -m "not display and not browser and not slow"

# What reads and writes rows, beside a PostgreSQL server of its own: claims, events, streams, tasks, figures. Three minutes of
# `test-postgres`, which every change must pass.
test-database:
	@tools/setup.sh database
	$(PYTHON) tools/postgres.py $(PYTEST) --database -m "not display and not browser" tests/execution/record tests/execution/stream tests/execution/models tests/execution/behind tests/analytics

# Every test that asks for the database, slow ones too, beside a PostgreSQL server of their own; not those that show something
# (a display, a browser) and those that are the same on any database. Then what brings its own servers: backup and restore, two web
# processes behind one address, tasks on Redis. The last line says how many passed; the first part's stands above it.
test-postgres:
	@tools/setup.sh many
	$(PYTHON) tools/postgres.py $(PYTEST) --database -m "not display and not browser"
	$(PYTHON) -m pytest -n0 tests/rpa_site/test_backups_postgresql.py tests/e2e/test_two_web_processes.py tests/e2e/test_tasks_in_rq.py tests/e2e/test_rolling_upgrade.py tests/e2e/test_two_machines.py

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

bench-analytics: setup-dev
	nice $(PYTHON) -m tests.benchmarks.figures

bench-learning: setup-dev
	$(PYTHON) -m tests.benchmarks.sequential

bench-coached: setup-dev
	nice $(PYTHON) -m tests.benchmarks.coached

bench-replay: setup-dev
	nice $(PYTHON) -m tests.benchmarks.replay

# Fifty robots, three web processes, PostgreSQL, Redis and nginx: an hour or two on a small machine. Less: RUNS=200 ROBOTS=10.
RUNS ?= 2000
ROBOTS ?= 50
bench-many:
	@tools/setup.sh many
	nice $(PYTHON) -m tests.benchmarks.crowd troubles --runs $(RUNS) --robots $(ROBOTS)
	nice $(PYTHON) -m tests.benchmarks.crowd costs --robots $(ROBOTS)

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
