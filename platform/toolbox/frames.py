"""The wire between the server and a tool process: four bytes of length, then that many bytes."""

import asyncio
import socket
import struct

HEADER = struct.Struct(">I")


class Ended(Exception):
    """The other side is gone."""


class TooLong(Exception):
    """The other side announces more than we take."""


def send(link: socket.socket, body: bytes) -> None:
    """Send a frame, blocking."""
    link.sendall(HEADER.pack(len(body)) + body)


def receive(link: socket.socket) -> bytes:
    """The next frame, blocking; Ended when there is none."""
    return _exactly(link, HEADER.unpack(_exactly(link, HEADER.size))[0])


def _exactly(link: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = link.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise Ended
        parts += part
    return bytes(parts)


async def send_soon(link: socket.socket, body: bytes) -> None:
    """Send a frame on the running loop; the socket does not block."""
    try:
        await asyncio.get_running_loop().sock_sendall(link, HEADER.pack(len(body)) + body)
    except OSError:
        raise Ended from None


async def receive_soon(link: socket.socket, limit: int) -> bytes:
    """The next frame on the running loop; TooLong before a byte of a longer one is taken."""
    size = HEADER.unpack(await _exactly_soon(link, HEADER.size))[0]
    if size > limit:
        raise TooLong(size)
    return await _exactly_soon(link, size)


async def _exactly_soon(link: socket.socket, size: int) -> bytes:
    loop, parts = asyncio.get_running_loop(), bytearray()
    while len(parts) < size:
        try:
            part = await loop.sock_recv(link, min(size - len(parts), 1 << 20))
        except OSError:
            raise Ended from None
        if not part:
            raise Ended
        parts += part
    return bytes(parts)
