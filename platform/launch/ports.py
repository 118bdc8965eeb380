"""Ports of the machine: free ones for embedded services, and the one that the web server listens on."""

import errno
import socket

from launch.errors import CannotStart

LOOPBACK = "127.0.0.1"


class PortTaken(CannotStart):
    """A port cannot be used."""


def free_port(wanted: int | None = None) -> int:
    """A free port of loopback: the wanted one when it is free, else any."""
    for port in (wanted, 0) if wanted else (0,):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise PortTaken("The loopback interface has no free port.")


def listening_socket(host: str, port: int) -> socket.socket:
    """The socket that all web processes serve: it outlives each of them, so a restart refuses no connection."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # A name such as localhost has both kinds of address; clients try the older one too.
        family, kind, protocol, _, address = min(found, key=lambda entry: entry[0] is not socket.AF_INET)
        listener = socket.socket(family, kind, protocol)
    except OSError:
        raise PortTaken(f"HOST {host!r} is no address of this machine; set HOST to one.") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise PortTaken(_sentence(host, port, error)) from None
    listener.setblocking(False)
    listener.set_inheritable(True)
    return listener


def _sentence(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use by another program; stop it, or set PORT to a free port."
    if error.errno == errno.EACCES:
        return f"Port {port} is reserved for the system's administrator; set PORT to one above 1023."
    return f"HOST {host!r} is no address of this machine; set HOST to one."


def reachable_host(host: str) -> str:
    """Where to reach a server that listens on `host`, from this machine."""
    return {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104  (compared, not bound)
