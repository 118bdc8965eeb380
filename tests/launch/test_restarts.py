"""What is killed comes back by itself."""

import pytest

from tests.launch.running import Up, eventually


@pytest.mark.parametrize("word", ["daphne", "worker", "beat", "valkey-server", "bin/postgres"])
def test_a_killed_child_starts_again_and_all_is_ready(served: Up, word: str) -> None:
    before = served.child(word)
    family = before.children(recursive=True)

    before.kill()

    eventually(lambda: not before.is_running() and any(word in " ".join(c.cmdline()) for c in served.descendants()), 10)
    assert served.child(word).pid != before.pid
    eventually(lambda: served.folder.get("/ready") == 200, 40)
    eventually(lambda: not any(member.is_running() for member in family), 5)


def test_no_connection_is_refused_while_the_web_process_starts_again(served: Up) -> None:
    served.child("daphne").kill()

    assert served.folder.get("/health") in (0, 200)  # cut off at most, when it was accepted just before
    assert served.folder.get("/health") == 200
