"""Who this server says it is."""

NAME = "atrium"
TITLE = "Atrium"
VERSION = "1.0.0"
PROTOCOL_VERSIONS = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26")
