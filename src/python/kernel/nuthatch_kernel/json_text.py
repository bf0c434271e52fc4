"""JSON that every reader takes: no NaN, no lone surrogates, no value that JSON does not know."""

import json
from binascii import b2a_base64

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=lambda value: _plain(value))


def encode_json(value):
    """Encodes to UTF-8. What JSON cannot hold is replaced: bytes by base64, NaN by its name, the rest by its repr."""
    try:
        text = _encoder.encode(value)
    except (ValueError, TypeError, RecursionError):
        text = _encoder.encode(clean(value))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return replace_surrogates(text).encode("utf-8")


def replace_surrogates(text):
    """Joins surrogate pairs and replaces what is left of halves by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(value, depth=0):
    """A copy of a value that JSON can hold; cycles and great depth end as text."""
    if value is None or isinstance(value, (str, bool, int)):
        return _basic(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else repr(float(value))
    if depth < 100:
        if isinstance(value, dict):
            return {str(key): clean(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [clean(item, depth + 1) for item in value]
    return _plain(value) if isinstance(value, (bytes, bytearray, memoryview)) else _repr(value)


def _basic(value):
    for kind in (bool, int, str):
        if isinstance(value, kind):
            return kind(value)
    return None


def _plain(value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b2a_base64(value, newline=False).decode("ascii")
    return clean(value, 99) if isinstance(value, (set, frozenset)) else _repr(value)


def _repr(value):
    try:
        return repr(value)
    except Exception:
        return "<%s>" % type(value).__name__
