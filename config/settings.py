"""Every setting of the project, from the environment; docs/settings.md lists the variables."""

from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from config import ROOT, env
from launch import secrets_file, services

# --- where things are -------------------------------------------------------------------------------------------------

DATA_DIR = Path(env.text("DATA_DIR", str(ROOT / "var"))).absolute()
HOST = env.text("HOST", "127.0.0.1")
PORT = env.whole("PORT", 8000, least=1, most=65535)
_shown_host = "127.0.0.1" if HOST in ("0.0.0.0", "::") else HOST  # noqa: S104  (compared, not bound)
PUBLIC_URL = env.text("PUBLIC_URL", f"http://{_shown_host}:{PORT}").rstrip("/")
if urlsplit(PUBLIC_URL).scheme not in ("http", "https") or not urlsplit(PUBLIC_URL).hostname:
    raise ImproperlyConfigured("PUBLIC_URL must be an http or https address, such as https://atrium.example.com.")
API_PREFIX = "/" + env.text("API_PREFIX", "/api").strip("/")
WEB_WORKERS = env.whole("WEB_WORKERS", 1, least=1, most=64)

# --- secrets ----------------------------------------------------------------------------------------------------------

_secrets = secrets_file.load_or_create(DATA_DIR)
SECRET_KEY = env.text("SECRET_KEY", _secrets["SECRET_KEY"])
KEY_PEPPERS = env.numbered("KEY_PEPPERS", {1: _secrets["KEY_PEPPER"]})

# --- security ---------------------------------------------------------------------------------------------------------

DEBUG = False
_public_host = urlsplit(PUBLIC_URL).hostname or ""
ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", tuple(dict.fromkeys((_public_host, "127.0.0.1", "localhost", "[::1]"))))
ALLOWED_ORIGINS = env.items("ALLOWED_ORIGINS")
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL, *ALLOWED_ORIGINS]
TRUSTED_PROXIES = env.items("TRUSTED_PROXIES")
_secure = PUBLIC_URL.startswith("https://")
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _secure
SESSION_COOKIE_HTTPONLY = True
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SILENCED_SYSTEM_CHECKS: list[str] = []

# --- apps -------------------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "ground",
    "identity",
    "limits",
    "receipts",
    "launch",
    "api",
    "directory",
    "credentials",
    "events",
    "inference",
    "durable",
    "conversations",
    "toolbox",
    "agents",
    "workflows",
    "gateway",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
APPEND_SLASH = False
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
AUTH_USER_MODEL = "identity.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "/admin/login/"

# --- database, cache, broker ------------------------------------------------------------------------------------------

_database_url, _redis_url = services.urls(DATA_DIR)
DATABASE_URL = env.text("DATABASE_URL", _database_url or "")
REDIS_URL = env.text("REDIS_URL", _redis_url or "")
EMBEDDED_DATABASE = not env.text("DATABASE_URL") or env.flag("EMBEDDED_DATABASE")
DATABASE_POOL = env.whole("DATABASE_POOL", 12, least=2, most=200)

if DATABASE_URL:
    _database = environ.Env.db_url_config(DATABASE_URL)
    if "postgresql" not in _database["ENGINE"]:
        raise ImproperlyConfigured("DATABASE_URL must name a PostgreSQL database: postgres://user:password@host/name.")
    _database["ENGINE"] = "ground.postgresql"
else:  # commands that need no database still run; those that do say what is missing
    _database = {"ENGINE": "launch.no_database", "NAME": "atrium"}
DATABASES = {
    "default": {
        **_database,
        "CONN_MAX_AGE": 0,
        "OPTIONS": {
            **_database.get("OPTIONS", {}),
            # Attempts to connect begin anew after five seconds, or the pauses between them would grow to minutes.
            "pool": {"min_size": 1, "max_size": DATABASE_POOL, "timeout": 5, "max_idle": 120, "reconnect_timeout": 5},
            "connect_timeout": 3,
            "tcp_user_timeout": 10_000,  # milliseconds until a silent server counts as gone
        },
    }
}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL or "redis://"}}

# --- long work --------------------------------------------------------------------------------------------------------

VISIBILITY_TIMEOUT = env.whole("VISIBILITY_TIMEOUT", 3600, least=1)
CELERY_BROKER_URL = env.text("BROKER_URL", REDIS_URL)
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_TIMEZONE = "UTC"
RUN_LEASE_SECONDS = env.seconds("RUN_LEASE_SECONDS", 10, least=1)
RUN_MESSAGE_SECONDS = env.seconds("RUN_MESSAGE_SECONDS", 10, least=1)
RUN_INLINE_SECONDS = env.seconds("RUN_INLINE_SECONDS", 0.2, least=0)
RUN_DEADLINE_SECONDS = env.seconds("RUN_DEADLINE_SECONDS", 86400, least=1)
RUN_TAKINGS = env.whole("RUN_TAKINGS", 5, least=1)
LIMIT_RUN_VALUE_BYTES = env.whole("LIMIT_RUN_VALUE_BYTES", 1024 * 1024, least=1024)
WORKFLOW_MODULES = env.items("WORKFLOW_MODULES")
AUDIT_DAYS = env.whole("AUDIT_DAYS", 400, least=1)
CELERY_BEAT_SCHEDULE = {
    # Due again at once when a sweep took long; a message that waited for ten seconds is dropped.
    "sweep runs": {"task": "workflows.tasks.sweep_runs", "schedule": 1.0, "options": {"expires": 10}},
    "forget expired answers": {"task": "receipts.tasks.forget_expired", "schedule": 3600.0},
    "write down refusals": {"task": "receipts.tasks.write_down_refusals", "schedule": 60.0},
    "forget old audit entries": {
        "task": "receipts.tasks.forget_old_entries",
        "schedule": 86400.0,
        "args": (AUDIT_DAYS,),
    },
}
if CELERY_BROKER_URL.startswith(("redis", "unix", "socket")):
    # Without these a message of a killed worker comes back after 100 s and more.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": VISIBILITY_TIMEOUT,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 2,
    }

# --- the HTTP contract ------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["credentials.http.KeyAuthentication", "credentials.http.StaffSession"],
    "DEFAULT_RENDERER_CLASSES": ["api.rendering.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["api.parsing.StrictJSONParser"],
    "DEFAULT_PERMISSION_CLASSES": [],
    "EXCEPTION_HANDLER": "api.exception_handler.answer",
    "DEFAULT_SCHEMA_CLASS": "api.openapi.OperationSchema",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Atrium",
    "DESCRIPTION": "Agents, workflows, tools, memory, skills and data of an organisation, over HTTP and MCP.",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": API_PREFIX,
    "AUTHENTICATION_WHITELIST": [],
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "bearerKey": {"type": "http", "scheme": "bearer", "description": "An API key."},
            "headerKey": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "An API key."},
        }
    },
}

# --- limits (docs/settings.md) ----------------------------------------------------------------------------------------

LIMIT_BODY_BYTES = env.whole("LIMIT_BODY_BYTES", 4 * 1024 * 1024, least=1024)
LIMIT_QUERY_BODY_BYTES = env.whole("LIMIT_QUERY_BODY_BYTES", 256 * 1024, least=1024)
LIMIT_JSON_DEPTH = env.whole("LIMIT_JSON_DEPTH", 64, least=4, most=512)
LIMIT_STRING_BYTES = env.whole("LIMIT_STRING_BYTES", 1024 * 1024, least=1024)
LIMIT_ARRAY_ITEMS = env.whole("LIMIT_ARRAY_ITEMS", 10_000, least=10)
LIMIT_CALLS_PER_MINUTE = env.whole("LIMIT_CALLS_PER_MINUTE", 120, least=1)
LIMIT_BURST = env.whole("LIMIT_BURST", 30, least=1)
LIMIT_CONCURRENT_CALLS = env.whole("LIMIT_CONCURRENT_CALLS", 8, least=1)
LIMIT_EVENT_CONNECTIONS = env.whole("LIMIT_EVENT_CONNECTIONS", 50, least=1)
LIMIT_LISTS_PER_MINUTE = env.whole("LIMIT_LISTS_PER_MINUTE", 600, least=1)
LIMIT_FAILED_AUTHENTICATIONS = env.whole("LIMIT_FAILED_AUTHENTICATIONS", 30, least=1)
LIMIT_RESULT_CHARACTERS = env.whole("LIMIT_RESULT_CHARACTERS", 100_000, least=1000)
LIMIT_PAGE_SIZE = env.whole("LIMIT_PAGE_SIZE", 1000, least=1)
LIMIT_CALL_SECONDS = env.seconds("LIMIT_CALL_SECONDS", 60, least=0.1)
LIMIT_PENDING_SECONDS = env.seconds("LIMIT_PENDING_SECONDS", 30, least=0.1)
WAIT_SECONDS = env.seconds("WAIT_SECONDS", 45, least=0.1)
LIMIT_TOOL_RESULT_BYTES = env.whole("LIMIT_TOOL_RESULT_BYTES", 1024 * 1024, least=1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = LIMIT_BODY_BYTES

# --- models, tools, telemetry -----------------------------------------------------------------------------------------

OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
OPENAI_API_KEY = env.text("OPENAI_API_KEY")
ANTHROPIC_API_KEY = env.text("ANTHROPIC_API_KEY")
GOOGLE_API_KEY = env.text("GOOGLE_API_KEY")
TOOL_MODULES = env.items("TOOL_MODULES", ("toolbox.shipped",))
TOOL_PROCESSES = env.whole("TOOL_PROCESSES", 4, least=1, most=64)
FETCH_NETWORKS = env.items("FETCH_NETWORKS")

# --- language, time, files --------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
WHITENOISE_USE_FINDERS = True

# --- admin ------------------------------------------------------------------------------------------------------------

UNFOLD = {
    "SITE_TITLE": "Atrium",
    "SITE_HEADER": "Atrium",
    "SITE_SUBHEADER": "Agents, tools and memory of your organisation",
    "SITE_SYMBOL": "hub",
    "SITE_URL": None,
    "SITE_FAVICONS": [{"href": f"{STATIC_URL}directory/favicon.svg", "rel": "icon", "type": "image/svg+xml"}],
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "DASHBOARD_CALLBACK": "directory.dashboard.show",
    "SIDEBAR": {"navigation": "directory.navigation.groups"},
    "ACCOUNT": {"navigation": [{"title": "Name and e-mail address", "link": "directory.navigation.own_page"}]},
    "STYLES": [f"{STATIC_URL}directory/admin.css"],
}

# --- logs -------------------------------------------------------------------------------------------------------------

LOG_LEVEL = env.choice("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"redact": {"()": "ground.redaction.RedactSecrets"}},
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["redact"]}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        # At DEBUG these print codes, tokens and values.
        **{name: {"level": "INFO"} for name in ("oauthlib", "oauth2_provider", "django.db.backends", "httpcore2")},
        **{name: {"level": "WARNING"} for name in ("httpx2", "mcp")},  # the SDK logs session ids at INFO
        # A line for every message would be three a second from the sweep alone; failures are still logged.
        **{name: {"level": "WARNING"} for name in ("celery.beat", "celery.worker.strategy", "celery.app.trace")},
    },
}
