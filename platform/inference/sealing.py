"""Secrets that must be read again, kept encrypted: one key per version of KEY_PEPPERS, named in the sealed text."""

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PURPOSE = b"atrium provider keys"


class Unreadable(Exception):
    """The sealed text was made with a pepper that is gone, or was changed."""


@lru_cache(maxsize=8)
def _cipher(pepper: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(pepper.encode())
    return Fernet(base64.urlsafe_b64encode(derived))


def seal(secret: str) -> str:
    """The secret under the newest pepper, as `<version>:<token>`; an empty secret stays empty."""
    if not secret:
        return ""
    version = max(settings.KEY_PEPPERS)
    return f"{version}:{_cipher(settings.KEY_PEPPERS[version]).encrypt(secret.encode()).decode()}"


def unseal(sealed: str) -> str:
    """The secret again; Unreadable when its pepper is no longer configured."""
    if not sealed:
        return ""
    version, _, token = sealed.partition(":")
    pepper = settings.KEY_PEPPERS.get(int(version)) if version.isdecimal() else None
    if pepper is None:
        raise Unreadable
    try:
        return _cipher(pepper).decrypt(token.encode()).decode()
    except InvalidToken:
        raise Unreadable from None
