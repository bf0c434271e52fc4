"""From a value to its MIME bundle: `_repr_mimebundle_`, the `_repr_*_` methods, and its text."""

import sys

from .imports import import_kernel
from .json_text import base64_text
from .pretty import pretty

METHODS = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
    "application/pdf": "_repr_pdf_",
    "image/jpeg": "_repr_jpeg_",
    "text/latex": "_repr_latex_",
    "application/json": "_repr_json_",
    "application/javascript": "_repr_javascript_",
}
#: Built-in types have no such methods; looking for nine of them in every number would cost more than the number.
PLAIN_TYPES = frozenset((int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset, type, type(None)))


class Formatter:
    """Makes bundles. `by_type` holds functions for types that know nothing of Jupyter, by `module.name`."""

    def __init__(self):
        self.by_type = {}

    def format(self, value, include=None, exclude=None):
        """Returns `(data, metadata)`; both empty when the value has shown itself by `_ipython_display_`."""
        if type(value) in PLAIN_TYPES:
            return self._select({"text/plain": pretty(value)}, {}, include, exclude)
        show = find_method(value, "_ipython_display_")
        if show is not None:
            show()
            return {}, {}
        data, metadata = self._bundle(value, include, exclude)
        for mime, name in METHODS.items():
            if mime not in data and _wanted(mime, include, exclude):
                self._add(data, metadata, mime, find_method(value, name))
        for kind in type(value).__mro__ if self.by_type else ():
            make = self.by_type.get("%s.%s" % (kind.__module__, kind.__qualname__))
            if make is not None:
                data.update(make(value))
        if "text/plain" not in data and _wanted("text/plain", include, exclude):
            data["text/plain"] = pretty(value)
        return self._select(data, metadata, include, exclude)

    def _bundle(self, value, include, exclude):
        method = find_method(value, "_repr_mimebundle_")
        found = None if method is None else guarded(lambda: method(include=include, exclude=exclude))
        data, metadata = found if isinstance(found, tuple) else (found, None)
        data = {mime: encode(item) for mime, item in data.items()} if isinstance(data, dict) else {}
        return data, dict(metadata or {})

    def _add(self, data, metadata, mime, method):
        found = None if method is None else guarded(method)
        if isinstance(found, tuple) and len(found) == 2 and mime != "application/json" or _is_json_pair(found):
            found, about = found
            metadata[mime] = about
        if found is not None:
            data[mime] = encode(found)

    def _select(self, data, metadata, include, exclude):
        data = {mime: item for mime, item in data.items() if _wanted(mime, include, exclude)}
        return data, metadata


def find_method(value, name):
    """A display method of an instance; a class, or an object that answers to every name, has none."""
    if isinstance(value, type):
        return None
    try:
        if getattr(value, "_ipython_canary_method_should_not_exist_", None) is not None:
            return None
        method = getattr(value, name, None)
    except Exception:
        return None
    return method if callable(method) else None


def guarded(method):
    """Calls a display method. One that raises is told on stderr and leaves its form out."""
    try:
        return method()
    except NotImplementedError:
        return None
    except Exception as error:
        lines = import_kernel("tracebacks").describe_error(error)["traceback"]
        sys.stderr.write("\n".join(lines) + "\n")
        return None


def encode(item):
    """Bytes become base64, as JSON needs it; all else is sent as it is."""
    return base64_text(item) if isinstance(item, (bytes, bytearray)) else item


def _wanted(mime, include, exclude):
    return (not include or mime in include) and not (exclude and mime in exclude)


def _is_json_pair(found):
    return isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict)
