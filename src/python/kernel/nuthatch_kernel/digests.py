"""HMAC-SHA256 (RFC 2104). OpenSSL's hash takes half the time, and a tenth for long messages, but costs milliseconds and
megabytes to load, so the small built-in one signs until the first large message, or the first hundred small ones."""

from _operator import _compare_digest as same_digest  # what hmac.compare_digest is without OpenSSL: in constant time

from .imports import import_standard

LARGE, MUCH = 1 << 16, 1 << 17  # bytes


def _builtin_sha256():
    for name in ("_sha2", "_sha256"):
        try:
            return __import__(name).sha256
        except ImportError:
            continue
    return import_standard("hashlib").sha256


class Signer:
    """Signs with one key; an empty key means that nothing is signed."""

    def __init__(self, key):
        self.key = key
        self._fast = False
        self._signed = 0
        self._use(_builtin_sha256())

    def sign(self, parts):
        """The hex signature of the parts, as bytes."""
        if not self.key:
            return b""
        if not self._fast:
            size = sum(map(len, parts))
            self._signed += size
            if size > LARGE or self._signed > MUCH:
                self._fast = True
                self._use(import_standard("hashlib").sha256)
        digest = self._inner.copy()
        for part in parts:
            digest.update(part)
        outer = self._outer.copy()
        outer.update(digest.digest())
        return outer.hexdigest().encode()

    def _use(self, sha256):
        key = self.key if len(self.key) <= 64 else sha256(self.key).digest()
        key = key.ljust(64, b"\0")
        self._inner = sha256(bytes(byte ^ 0x36 for byte in key))
        self._outer = sha256(bytes(byte ^ 0x5C for byte in key))
