"""The revisions that are spoken, and the names that they fix."""

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26")
SUPPORTED = (MODERN, *LEGACY)
ASSUMED = "2025-03-26"  # of a request that names no version

# A version header with one of these is no sign of the modern generation, whether or not it is spoken.
LEGACY_HEADERS = frozenset({*LEGACY, "2024-11-05"})

PREFIX = "io.modelcontextprotocol/"
VERSION_KEY = PREFIX + "protocolVersion"
CAPABILITIES_KEY = PREFIX + "clientCapabilities"
LOG_LEVEL_KEY = PREFIX + "logLevel"
SERVER_INFO_KEY = PREFIX + "serverInfo"

# Methods whose complete results say how long they may be kept, and by whom.
CACHED = frozenset(
    {"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
)
# The parameter that `Mcp-Name` repeats.
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
