"""`make bench`: every benchmark of the project in one run, on a database and a broker of its own."""

import sys
from importlib import import_module

from tests.bench.database import fresh_database
from tests.conformance.node import install
from tests.services import running_services

BENCHES = ("queries", "router", "door", "workflows")


def main() -> int:
    """Run all; the exit code says whether every figure was reached."""
    install()
    with running_services(), fresh_database():
        # They read models, which are there only now.
        results = [import_module(f"tests.bench.{name}").run() for name in BENCHES]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
