"""Ports, and the sentences when one cannot be had."""

import socket

import pytest

from launch.ports import PortTaken, free_port, listening_socket, reachable_host


def test_the_wanted_port_is_kept_while_it_is_free() -> None:
    port = free_port()

    assert free_port(port) == port


def test_a_taken_port_gives_way_to_another() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]

        assert free_port(taken) != taken


def test_a_busy_web_port_names_the_setting() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]

        with pytest.raises(PortTaken) as refused:
            listening_socket("127.0.0.1", taken)

    assert str(refused.value) == (
        f"Port {taken} on 127.0.0.1 is in use by another program; stop it, or set PORT to a free port."
    )


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
def test_a_foreign_address_names_the_setting(host: str) -> None:
    with pytest.raises(PortTaken, match=r"is no address of this machine; set HOST to one\.$"):
        listening_socket(host, free_port())


def test_a_server_on_every_address_is_reached_by_loopback() -> None:
    assert [reachable_host(host) for host in ("0.0.0.0", "::", "192.0.2.1")] == ["127.0.0.1", "::1", "192.0.2.1"]


def test_a_name_with_both_kinds_of_address_is_served_on_the_older_one() -> None:
    with listening_socket("localhost", free_port()) as listener:
        assert listener.family is socket.AF_INET
