"""Settings: all from the environment, then from `.env.local`; a bad value is refused at start."""

from __future__ import annotations

import os
from pathlib import Path

import environ
from django.utils.translation import gettext_lazy as _

from rpa_site import garbage, reading, secret_key, sqlite

garbage.looked_for_seldom()  # here, as every process reads them first: importing all else is what makes the most
BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.FileAwareEnv()
environ.Env.read_env(os.environ.get("RPA_ENV_FILE", BASE_DIR / ".env.local"), overwrite=False)

# Where run-time data lives: database, pictures, locks. Never tracked, never deleted by a command.
DATA_DIR = Path(env.str("RPA_DATA_DIR", str(BASE_DIR / "var"))).resolve()

DEBUG = reading.switch(env, "RPA_DEBUG", False)
SECRET_KEY = env.str("RPA_SECRET_KEY", "") or secret_key.load(DATA_DIR / "secret_key")
ALLOWED_HOSTS = env.list("RPA_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("RPA_CSRF_TRUSTED_ORIGINS", default=[])
PORT = reading.whole(env, "PORT", 5005, most=65535)
# What links in messages and files begin with: where browsers come from, or else this machine.
SITE_ADDRESS = next((one for one in CSRF_TRUSTED_ORIGINS if "*" not in one), f"http://127.0.0.1:{PORT}")

INSTALLED_APPS = [
    "rpa_site.server_app.DaphneConfig",
    "rpa_site.admin_app.SiteAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "rpa_site.static_files.OwnStaticFilesConfig",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "django_htmx",
    "django_tasks",
    "django_tasks_db",
    "audit",
    "workflows",
    "gpu",
    "execution",
    "analytics",
    "rpa_site",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "rpa_site.middleware.SecurityHeaders",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "rpa_site.middleware.ReadersClock",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "rpa_site.errors.DomainErrors",
    "rpa_site.bodies.BodyLimit",
]

ROOT_URLCONF = "rpa_site.urls"
ASGI_APPLICATION = "rpa_site.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "rpa_site.context.chrome",
            ],
        },
    },
]

# --- Database -------------------------------------------------------------------------------------------------------
DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'surehand.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    _timeout_s = reading.number(env, "RPA_DATABASE_TIMEOUT_S", sqlite.BUSY_TIMEOUT_S, most=600)
    DATABASES["default"]["OPTIONS"] = sqlite.options(_timeout_s)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Tells web processes at once that there is something new; without it they look five times a second (not so on SQLite).
REDIS_URL = reading.redis(env)

# --- Who may come in ------------------------------------------------------------------------------------------------
RPA_SESSION_HOURS = reading.number(env, "RPA_SESSION_HOURS", 11, most=8760)  # from the log-in on
RPA_PROXIES = reading.whole(
    env, "RPA_PROXIES", 0, least=0, most=100
)  # in front, believed about where a request comes from
RPA_API_BASIC_AUTH = reading.switch(env, "RPA_API_BASIC_AUTH", False)
SESSION_COOKIE_AGE = int(RPA_SESSION_HOURS * 3600)
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "runs"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "rpa_site.passwords.NameTwice"},
    {"NAME": "rpa_site.passwords.EndsTokens"},
]
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
BEHIND_TLS = reading.switch(env, "RPA_BEHIND_TLS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = BEHIND_TLS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SILENCED_SYSTEM_CHECKS = [] if BEHIND_TLS else ["security.W004", "security.W008", "security.W012", "security.W016"]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.SessionAuthentication",
        "rpa_site.tokens.TokenAuthentication",
        *(["rpa_site.tokens.ThrottledBasicAuthentication"] if RPA_API_BASIC_AUTH else []),
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rpa_site.api.DeclaredPermission"],
    "DEFAULT_PARSER_CLASSES": [
        "rpa_site.api.JSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "workflows.paging.Pages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "PAGE_SIZE": 50,
    "EXCEPTION_HANDLER": "rpa_site.errors.api_exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Surehand",
    "DESCRIPTION": "Workflows, runs, decisions and the stream of a self-hosted server for vision-based RPA.",
    "VERSION": "0.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rpa_site.api.DeclaredPermission"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "CorrectionStateEnum": "execution.choices.CorrectionState",
        "OfferAnswerEnum": ["accept", "decline"],
    },
}

# --- Files, language, time ------------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
WHITENOISE_USE_FINDERS = True  # what was not collected is served as it lies in the tree
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "rpa_site.static_files.StaticFiles"},
    "pictures": reading.pictures(env),  # the folder `pictures` in DATA_DIR, or a store that many machines reach
    "exports": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "exports", "file_permissions_mode": 0o600},
    },
}
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("fr", _("French"))]
LOCALE_PATHS = [BASE_DIR / "rpa_site" / "locale"]
TIME_ZONE = reading.time_zone(env)
USE_I18N = USE_TZ = True

# --- The product ----------------------------------------------------------------------------------------------------
RPA_AUTH_DISABLED = reading.switch(env, "RPA_AUTH_DISABLED", False)  # changes nothing; `check` warns of it
RPA_OCR_ENGINE = env.str("RPA_OCR_ENGINE", "rapidocr")
RPA_OCR_LANGUAGES = [code.strip() for code in env.list("RPA_OCR_LANGUAGES", default=["en", "fr"]) if code.strip()]
RPA_MODELS_DIR = Path(env.str("RPA_MODELS_DIR", str(DATA_DIR / "models"))).resolve()
RPA_EMBEDDER = env.str("RPA_EMBEDDER", "builtin")
RPA_CLIP_MODEL = env.str("RPA_CLIP_MODEL", "ViT-B-32")
RPA_CLIP_WEIGHTS = env.str("RPA_CLIP_WEIGHTS", "")  # a file in RPA_MODELS_DIR, or a path of its own
RPA_UI_DETECTOR = env.str("RPA_UI_DETECTOR", "builtin")
RPA_CLASSIFY_ELEMENTS = reading.switch(env, "RPA_CLASSIFY_ELEMENTS", False)  # by the VLM, seconds for a new screen
RPA_ENABLE_UI_DETECTION = reading.switch(env, "RPA_ENABLE_UI_DETECTION", True)
RPA_ENABLE_OCR = reading.switch(env, "RPA_ENABLE_OCR", True)
RPA_ANALYZE_TIMEOUT_MS = reading.whole(env, "RPA_ANALYZE_TIMEOUT_MS", 8000)
# Code that may tell which window is open, as name=dotted.path; runs, workflows and the next setting choose by name.
RPA_WINDOW_PROVIDERS = env.dict("RPA_WINDOW_PROVIDERS", default={})
RPA_WINDOW_INFO_PROVIDER = env.str("RPA_WINDOW_INFO_PROVIDER", "")
RPA_LIVE_UNMASKED = reading.switch(env, "RPA_LIVE_UNMASKED", False)  # to those with the right to it; never stored
RPA_CAPTURE_INTERVAL_MS = reading.whole(env, "RPA_CAPTURE_INTERVAL_MS", 500)
RPA_MAX_NO_MATCH_RETRIES = reading.whole(env, "RPA_MAX_NO_MATCH_RETRIES", 5)
RPA_CONFIRMATION_TIMEOUT_S = reading.whole(env, "RPA_CONFIRMATION_TIMEOUT_S", 60)
RPA_COACHING_TIMEOUT_S = reading.whole(env, "RPA_COACHING_TIMEOUT_S", 120)
RPA_MATCH_THRESHOLD = reading.number(env, "RPA_MATCH_THRESHOLD", 0.75)
RPA_SIMILARITY_THRESHOLD = reading.number(env, "RPA_SIMILARITY_THRESHOLD", 0.75)
LEARNING_PROVED_AFTER = reading.whole(env, "LEARNING_PROVED_AFTER", 2, least=1)  # runs in a row that prove it (S6.4)
RPA_EMBEDDING_FALLBACK = reading.switch(env, "RPA_EMBEDDING_FALLBACK", True)
RPA_PRIORITY_LEAD_S = reading.whole(env, "RPA_PRIORITY_LEAD_S", 3600)  # a higher priority passes what came then
RPA_ROBOT_TAGS = env.list("RPA_ROBOT_TAGS", default=[])  # what this machine's robots have, beside what their page says
RPA_LEASE_S = reading.whole(env, "RPA_LEASE_S", 15)
RPA_TEACH_AWAY_S = reading.whole(env, "RPA_TEACH_AWAY_S", 120, least=1)  # then a lesson gives its desktop back
RPA_DISPLAY_WAIT_S = reading.whole(env, "RPA_DISPLAY_WAIT_S", 120, least=5)  # then a display that stands still is lost
RPA_MODIFIER_HOLD_MS = reading.whole(env, "RPA_MODIFIER_HOLD_MS", 0, least=0)  # longer than viewers of others need
RPA_DATABASE_WAIT_S = reading.whole(env, "RPA_DATABASE_WAIT_S", 600, least=0)  # then a run is left, and taken over anew
RPA_MAX_PICTURE_MEGAPIXELS = reading.whole(env, "RPA_MAX_PICTURE_MEGAPIXELS", 33)
RPA_MAX_BUNDLE_MEGAPIXELS = reading.whole(env, "RPA_MAX_BUNDLE_MEGAPIXELS", 400)  # of an imported workflow
RPA_OLLAMA_URL = reading.address(env, "RPA_OLLAMA_URL")
RPA_TRACES_URL = reading.address(env, "RPA_TRACES_URL")  # of an OpenTelemetry collector; none: nothing is traced
RPA_VAULT_KEYS = env.list("RPA_VAULT_KEYS", default=[])  # none: the file vault.key in DATA_DIR
RPA_VLM_MODEL = env.str("RPA_VLM_MODEL", "")
DASHBOARD_PASSWORD = env.str("DASHBOARD_PASSWORD", "")
RPA_OPENAI_URL = reading.address(env, "RPA_OPENAI_URL")  # of a server that speaks as OpenAI's does, such as LM Studio
RPA_OPENAI_KEY = env.str("RPA_OPENAI_KEY", "")
RPA_MODEL_CATALOGUE = env.str("RPA_MODEL_CATALOGUE", "")  # a file of models to choose from; empty: the product's own
RPA_ASSISTANT_NAME = env.str("RPA_ASSISTANT_NAME", "") or "Mai"

# What is done behind the scenes: in rows of the database, or in a queue behind the same interface (RQ's).
TASKS = {"default": {"BACKEND": env("RPA_TASKS_BACKEND", default="django_tasks_db.DatabaseBackend")}}
if TASKS["default"]["BACKEND"] == reading.RQ:
    INSTALLED_APPS.append("django_rq")
    RQ_QUEUES = reading.rq_queues(REDIS_URL)
    RQ_SHOW_ADMIN_LINK = False  # its pages know no roles
    MIGRATION_MODULES = {"django_rq": None}  # it has no table

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "rpa_site.logs.LineFormatter"}},
    "filters": {"refusals": {"()": "rpa_site.logs.NoRefusalTraced"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["refusals"]}},
    "root": {"handlers": ["console"], "level": reading.log_level(env)},
    "loggers": {
        **{name: {"level": "WARNING"} for name in ("daphne", "httpx", "asyncio", "PIL", "django_tasks")},
        **{
            name: {"level": "WARNING"} for name in ("botocore", "boto3", "urllib3")
        },  # tell what requests are signed with
        "django.dispatch": {"level": "CRITICAL"},  # whoever sends says once what a receiver raised (execution.signals)
    },
}
