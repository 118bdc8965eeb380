"""The text of an API key: `mcpk_` + 12 characters that name it + `_` + a secret of 43 + a checksum of 6."""

import hashlib
import hmac
import secrets
import string
import zlib
from typing import NamedTuple

from django.conf import settings

PREFIX = "mcpk_"
LOOKUP_LENGTH, SECRET_LENGTH, CHECK_LENGTH = 12, 43, 6
LENGTH = len(PREFIX) + LOOKUP_LENGTH + 1 + SECRET_LENGTH + CHECK_LENGTH
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


class KeyText(NamedTuple):
    """A well-formed key in parts: `lookup` is public, `secret` is not."""

    lookup: str
    secret: str

    def __str__(self) -> str:
        return f"{PREFIX}{self.lookup}_{self.secret}{_checksum(self.lookup + self.secret)}"


def generate() -> KeyText:
    """A new key with about 256 bits of chance."""
    return KeyText(_random(LOOKUP_LENGTH), _random(SECRET_LENGTH))


def parse(text: str) -> KeyText | None:
    """The parts of a key, or None when it is none: a mistyped one costs no query."""
    if len(text) != LENGTH or not text.startswith(PREFIX) or text[len(PREFIX) + LOOKUP_LENGTH] != "_":
        return None
    lookup = text[len(PREFIX) : len(PREFIX) + LOOKUP_LENGTH]
    secret, check = text[-SECRET_LENGTH - CHECK_LENGTH : -CHECK_LENGTH], text[-CHECK_LENGTH:]
    if not (lookup + secret).isalnum() or not text.isascii() or check != _checksum(lookup + secret):
        return None
    return KeyText(lookup, secret)


def newest_pepper() -> int:
    """The number of the pepper that new keys are stored with."""
    return max(settings.KEY_PEPPERS)


def digest(secret: str, pepper_id: int) -> str:
    """HMAC-SHA-256 of the secret. An unknown pepper gives a digest that fits no key."""
    pepper = settings.KEY_PEPPERS.get(pepper_id) or secrets.token_hex(32)
    return hmac.new(pepper.encode(), secret.encode(), hashlib.sha256).hexdigest()


def matches(secret: str, pepper_id: int, stored: str) -> bool:
    """Whether the secret is the stored one, compared in constant time."""
    return hmac.compare_digest(digest(secret, pepper_id), stored)


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _checksum(text: str) -> str:
    number, found = zlib.crc32(text.encode()), ""
    for _ in range(CHECK_LENGTH):
        number, rest = divmod(number, len(ALPHABET))
        found = ALPHABET[rest] + found
    return found
