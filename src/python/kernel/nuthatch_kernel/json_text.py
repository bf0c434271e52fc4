"""JSON that every reader takes: no NaN, no lone surrogates, no value that JSON does not know.

Python's encoder looks at each character of a string; a long one is escaped by searching for the few bytes that need it,
ten times as fast. `_json` is what `json` itself uses, without the milliseconds of the regular expressions that come with it.
"""

from _json import encode_basestring, make_encoder, make_scanner

from .imports import import_standard

LONG = 4096
_ESCAPES = [(b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n"), (b"\r", b"\\r"), (b"\t", b"\\t")]
_ESCAPES += [(bytes((code,)), b"\\u%04x" % code) for code in range(32) if code not in b"\n\r\t"]


class _Rules:
    """How to read: the attributes of a `json.JSONDecoder`."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_int, parse_float, parse_constant = int, float, float


_scan = make_scanner(_Rules)


def decode_json(text):
    """The value of a JSON text; raises ValueError where it is none."""
    text = text.strip(" \t\n\r")
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError("no JSON")
    if end != len(text):
        raise ValueError("more than one value")
    return value


def encode_json(value):
    """Encodes to UTF-8. What JSON cannot hold is replaced: bytes by base64, NaN by its name, the rest by its repr."""
    try:
        if type(value) is dict and _holds_long_text(value, 0):
            return _encode_parts(value)
        text = _encode(value)
    except (ValueError, TypeError, RecursionError):
        text = _encode(clean(value))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return replace_surrogates(text).encode("utf-8")


def _encode(value):
    """As `json.JSONEncoder` does without spaces, non-ASCII as it is, and no NaN; the first argument finds cycles."""
    return "".join(make_encoder({}, _plain, encode_basestring, None, ":", ",", False, False, False)(value, 0))


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


def _holds_long_text(value, depth):
    for item in value.values():
        if type(item) is str:
            if len(item) > LONG:
                return True
        elif type(item) is dict and depth < 3 and _holds_long_text(item, depth + 1):
            return True
    return False


def _encode_parts(value):
    """A dictionary with long text in it, item by item."""
    items = []
    for key, item in value.items():
        if type(item) is str and len(item) > LONG:
            encoded = b'"' + _escape(item) + b'"'
        elif type(item) is dict and _holds_long_text(item, 0):
            encoded = _encode_parts(item)
        else:
            encoded = encode_json(item)
        items.append(encode_json(str(key)) + b":" + encoded)
    return b"{" + b",".join(items) + b"}"


def _escape(text):
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        data = replace_surrogates(text).encode("utf-8")
    for found, escaped in _ESCAPES:
        data = data.replace(found, escaped)
    return data


def base64_text(data):
    """Bytes as JSON holds them."""
    return import_standard("binascii").b2a_base64(data, newline=False).decode("ascii")


def _basic(value):
    for kind in (bool, int, str):
        if isinstance(value, kind):
            return kind(value)
    return None


def _plain(value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64_text(value)
    return clean(value, 99) if isinstance(value, (set, frozenset)) else _repr(value)


def _repr(value):
    try:
        return repr(value)
    except Exception:
        return "<%s>" % type(value).__name__
