"""What surrounds a helper: its status event, whether it prints, and how its value is shown."""

import builtins
import functools
import math
from contextvars import ContextVar

from .tracebacks import hide_helpers

STATUS = "application/x-xcsh-status"

_event = ContextVar("event")
_is_quiet = ContextVar("is_quiet", default=False)
_kernel = {"display": None, "shell": None}


def connect(namespace):
    """Takes from the kernel's namespace what shows a bundle and counts executions, before the user takes these names."""
    _kernel["display"] = namespace.get("display") or getattr(builtins, "display", None)
    _kernel["shell"] = namespace.get("get_ipython", lambda: None)()


def helper(function):
    """Makes a helper of a function: one event, named for it, tells of each call, whether or not it raised."""

    @functools.wraps(function)
    def call(*values, quiet=False, **options):
        event = {"op": function.__name__}
        tokens = _event.set(event), _is_quiet.set(bool(quiet))
        try:
            value = function(*values, **options)
            if not quiet and isinstance(value, Shown):
                value.printed_in = count_executions()
            return value
        except BaseException as error:
            event["error"] = "%s: %s" % (type(error).__name__, error)
            hide_helpers(error, _kernel["shell"])
            raise
        finally:
            _event.reset(tokens[0])
            _is_quiet.reset(tokens[1])
            show({STATUS: as_json(event)})

    return call


def note(**facts):
    """Adds to the event of the helper that runs."""
    _event.get().update(facts)


def say(text):
    """Prints for the person who reads the cell's output."""
    if not _is_quiet.get():
        print(_encodable(text))


def is_quiet():
    return _is_quiet.get()


class Shown:
    """A helper's value. Where its text was printed a moment ago it is not shown again as the same cell's result."""

    printed_in = None
    plain = object

    @property
    def _ipython_display_(self):
        return _show_nothing if self.printed_in is not None and self.printed_in == count_executions() else None

    def __reduce_ex__(self, _protocol):
        return self.plain, (self.plain(self),)


class Text(Shown, str):
    plain = str


class Bytes(Shown, bytes):
    plain = bytes


class Items(Shown, list):
    plain = list


class Count(Shown, int):
    plain = int


class Record(Shown, dict):
    """A dict whose entries are attributes too."""

    plain = dict

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def count_executions():
    return getattr(_kernel["shell"], "execution_count", None)


def _show_nothing():
    pass


def show(bundle):
    """Displays a MIME bundle, where there is a kernel to do so."""
    display = _kernel["display"]
    if display is not None:
        display(bundle, raw=True)


def as_json(value):
    """A value as JSON can hold it: what it cannot becomes text."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {_encodable(str(name)): as_json(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(entry) for entry in value]
    return _encodable(str(value))


def _encodable(text):
    """A file's name need not be text; what is none of it is shown as a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
