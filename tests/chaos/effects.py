"""What the steps of the chaos runs do to the world: rows that are counted afterwards."""

from django.db import connection

from workflows.context import StepContext

# `chaos_effect` lets an effect happen twice, so that it would be seen. `chaos_keyed` is an outside service that knows
# idempotency keys, and `chaos_attempt` what was asked of it.
TABLES = """
CREATE TABLE chaos_effect (run_id text NOT NULL, path text NOT NULL);
CREATE TABLE chaos_keyed (key text PRIMARY KEY, run_id text NOT NULL, path text NOT NULL);
CREATE TABLE chaos_attempt (key text NOT NULL);
"""


def make_tables() -> None:
    """Empty tables."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES)


def once(context: StepContext) -> None:
    """An effect of a transactional step."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO chaos_effect VALUES (%s, %s)", [context.run_id, context.path])


def keyed(context: StepContext) -> None:
    """An effect outside the step's transaction, made once by its key."""
    key = context.idempotency_key
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO chaos_attempt VALUES (%s)", [key])
        cursor.execute(
            "INSERT INTO chaos_keyed VALUES (%s, %s, %s) ON CONFLICT DO NOTHING", [key, context.run_id, context.path]
        )


def made() -> int:
    """How many effects there are by now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (SELECT count(*) FROM chaos_effect) + (SELECT count(*) FROM chaos_keyed)")
        return int(cursor.fetchone()[0])


def by_run(table: str) -> dict[str, list[str]]:
    """The paths of the effects of each run, as often as they were made."""
    found: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT run_id, path FROM {table}")  # noqa: S608  (one of two names)
        for run_id, path in cursor.fetchall():
            found.setdefault(run_id, []).append(path)
    return found


def attempts() -> int:
    """How often the outside service was asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM chaos_attempt")
        return int(cursor.fetchone()[0])
