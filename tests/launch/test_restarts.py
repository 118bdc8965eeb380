"""What is killed comes back by itself."""

import pytest

from tests.launch.running import Up, alive, eventually


def kill(up: Up, word: str) -> int:
    """Kill the child with this word in its command; its process id."""
    child = up.child(word)
    assert child is not None
    child.kill()
    return child.pid


@pytest.mark.parametrize("word", ["daphne", "config worker", "config beat", "valkey-server", "bin/postgres"])
def test_a_killed_child_starts_again_and_all_is_ready(served: Up, word: str) -> None:
    eventually(lambda: served.folder.get("/ready") == 200, 40)
    before = served.child(word)
    assert before is not None
    family = before.children(recursive=True)

    before.kill()

    eventually(lambda: (child := served.child(word)) and child.pid != before.pid, 10)
    eventually(lambda: served.folder.get("/ready") == 200, 40)
    eventually(lambda: not alive(family), 5)


def test_no_connection_is_refused_while_the_web_process_starts_again(served: Up) -> None:
    kill(served, "daphne")

    assert served.folder.get("/health") in (0, 200)  # cut off at most, when it was accepted just before
    assert served.folder.get("/health") == 200


def test_without_postgresql_it_says_503_and_recovers(served: Up) -> None:
    eventually(lambda: served.folder.get("/ready") == 200, 40)

    # Killed once, it is back before anybody has waited in vain; killed again and again, it stays away.
    def says_so() -> bool:
        if (child := served.child("bin/postgres")) is not None:
            child.kill()
        return served.folder.get("/ready") == 503

    eventually(says_so, 20)
    assert served.folder.get("/health") == 200
    eventually(lambda: served.folder.get("/ready") == 200, 40)
