"""`make conformance`: both sets of the official suite against the endpoint, on daphne and on uvicorn."""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from tests.conformance.node import HERE, install, node
from tests.services import running_services
from tests.serving import asgi, serving

SUITE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
APP = "tests.conformance.app:application"
REQUIRED = {"2025-11-25": 30, "2026-07-28": 37}


def score(url: str, requirements: str, out: Path) -> tuple[int, str]:
    """How many required scenarios passed, and what the suite printed."""
    finished = node(
        str(SUITE), "server", "--url", url, "--requirements", requirements, "-o", str(out), capture_output=True,
        timeout=300,
    )  # fmt: skip
    printed = finished.stdout + finished.stderr
    unscored = set(re.findall(r"^  [✓✗] (\S+) \(", printed, re.MULTILINE))
    passed = set(re.findall(r"^✓ (\S+): [1-9]\d* passed, 0 failed", printed, re.MULTILINE))
    # The exit code is the suite's own verdict: without it no score is whole.
    return len(passed - unscored) - (finished.returncode != 0), printed


def main() -> int:
    """Print one line a server and set; the exit code says whether everything required passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", choices=("daphne", "uvicorn"), action="append")
    parser.add_argument("--verbose", action="store_true", help="print what the suite prints")
    asked = parser.parse_args()
    install()
    good = True
    with running_services(), tempfile.TemporaryDirectory() as folder:
        for server in asked.server or ("daphne", "uvicorn"):
            with serving(lambda port, server=server: asgi(server, APP, port)) as url:
                for requirements, wanted in REQUIRED.items():
                    passed, printed = score(url, requirements, Path(folder) / f"{server}-{requirements}")
                    print(f"{requirements} on {server}: {passed}/{wanted}", flush=True)
                    good &= passed == wanted
                    if asked.verbose or passed != wanted:
                        print(printed)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
