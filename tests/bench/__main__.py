"""`make bench`: every benchmark of the project in one run, on a database and a broker of its own."""

import sys

from tests.services import running_services


def main() -> int:
    """Run all; the exit code says whether every figure was reached."""
    with running_services():
        from tests.bench import door, queries, surface
        from tests.bench.database import fresh_database

        with fresh_database():
            results = [bench.run() for bench in (queries, surface, door)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
