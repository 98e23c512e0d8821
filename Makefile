# Two commands matter: `make run` and `make test`. Both install what is missing first.
PYTHON = .venv/bin/python
PACKAGES = rpa_site workflows gpu execution analytics audit sentences
# How many tests run side by side: more than cores, as many of them wait for a screen.
WORKERS ?= 3
# A worker that dies ends the run and names its test: a new one in its place would wait for ever for what was left.
PYTEST = $(PYTHON) -m pytest -n $(WORKERS) --dist loadfile --max-worker-restart=0
# What a landing must pass: all that needs no display, browser or extras and is not timed, and of the rest a fixed core.
GATE = -m "core or not (display or browser or slow or extras or timing)" --hypothesis-profile=gate \
	--ignore tests/doubles --ignore tests/benchmarks
CLAIMS = tests/execution/record/test_claims.py

.PHONY: run models test test-all test-postgres lint audit bench messages requirements vendor demo setup setup-dev
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
	$(PYTHON) tools/postgres.py $(PYTHON) -m pytest -n0 --database -m "not timing" $(CLAIMS)
	$(PYTEST) $(GATE) --durations=20

# Everything, before an issue is called resolved: the whole suite, then on PostgreSQL what asks for the database.
test-all:
	@tools/setup.sh all
	$(PYTEST) --durations=40
	$(MAKE) test-postgres audit

# Every test that asks for the database, beside a PostgreSQL server of their own; not those that show something (a display, a
# browser) and those that are the same on any database. Then what brings its own servers: backup and restore, two web processes
# behind one address, tasks on Redis. The last line says how many passed; the first part's stands above it.
test-postgres:
	@tools/setup.sh all
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

# `make bench` lists the benchmarks; `make bench NAME=loop` runs one, with OPTIONS="…".
bench: setup-dev
	$(PYTHON) -m benchmarks $(NAME) $(OPTIONS)

messages: setup-dev
	for domain in django djangojs; do $(PYTHON) manage.py makemessages -d $$domain -l fr --ignore .venv --ignore build --ignore tests --ignore benchmarks --ignore vendor --ignore var --add-location file --no-wrap --no-obsolete; done
	$(PYTHON) manage.py compilemessages -l fr

requirements: setup-dev
	$(PYTHON) tools/requirements.py

vendor:
	tools/vendor.sh

demo: setup-dev
	$(PYTHON) tools/make_demo.py
