"""Which server serves the web, and in how many processes."""

import socket

import pytest

from launch.errors import CannotStart
from launch.ports import free_port, listening_socket
from launch.programs import web


@pytest.mark.parametrize(
    ("server", "workers", "names", "module"),
    [
        (None, 1, ["web"], "daphne"),
        (None, 3, ["web-1", "web-2", "web-3"], "uvicorn"),
        ("uvicorn", 1, ["web"], "uvicorn"),
        ("daphne", 2, ["web-1", "web-2"], "daphne"),
    ],
)
def test_one_process_is_daphne_and_several_are_uvicorn(
    server: str | None, workers: int, names: list[str], module: str
) -> None:
    with listening_socket("127.0.0.1", free_port()) as listener:
        programs = web({}, listener, server, workers)

        assert [program.name for program in programs] == names
        assert {program.command[2] for program in programs} == {module}
        assert {program.pass_fds for program in programs} == {(listener.fileno(),)}


def test_no_server_believes_a_forwarded_address_by_itself() -> None:
    with listening_socket("127.0.0.1", free_port()) as listener:
        assert "--no-proxy-headers" in web({}, listener, "uvicorn", 1)[0].command
        assert "--proxy-headers" not in web({}, listener, "daphne", 1)[0].command


def test_daphne_refuses_an_address_of_version_six() -> None:
    with socket.socket(socket.AF_INET6) as listener:
        assert web({}, listener, None, 1)[0].command[2] == "uvicorn"
        with pytest.raises(CannotStart, match="or use `--server uvicorn`"):
            web({}, listener, "daphne", 1)
