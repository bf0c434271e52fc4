"""display() and its relatives, as IPython.display has them."""

import builtins
import os
import sys

from .mime import Formatter, encode


class Displays:
    """Sends MIME bundles through the outbox; its public methods are what users call."""

    def __init__(self, outbox):
        self._outbox = outbox
        self.formatter = Formatter()

    def display(
        self, *values, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, **options
    ):
        """Shows values in the cell. With a `display_id` (or True for a new one) it returns a handle to update them."""
        if display_id is True:
            display_id = os.urandom(16).hex()
        transient = dict(transient or {})
        if display_id is not None:
            transient["display_id"] = display_id
        if options.get("clear"):
            self.clear_output(wait=True)
        for value in values:
            data, about = (dict(value), {}) if raw else self.formatter.format(value, include, exclude)
            if data:
                self.publish_display_data(
                    data, dict(about, **(metadata or {})), transient=transient, update=options.get("update", False)
                )
        return None if display_id is None else DisplayHandle(self, display_id)

    def update_display(self, value, *, display_id, **options):
        """Replaces every output that was shown with this `display_id`."""
        self.display(value, display_id=display_id, update=True, **options)

    def publish_display_data(self, data, metadata=None, *, transient=None, update=False, **_options):
        """Shows a ready MIME bundle."""
        content = {
            "data": {mime: encode(item) for mime, item in data.items()},
            "metadata": metadata or {},
            "transient": transient or {},
        }
        self._outbox.publish("update_display_data" if update else "display_data", content)

    def clear_output(self, wait=False):
        """Removes the cell's output; with `wait` only when the next output comes."""
        self._outbox.publish("clear_output", {"wait": bool(wait)})


class DisplayHandle:
    """Updates what was shown under one `display_id`."""

    def __init__(self, displays, display_id):
        self._displays = displays
        self.display_id = display_id

    def __repr__(self):
        return "<DisplayHandle display_id=%s>" % self.display_id

    def display(self, value, **options):
        self._displays.display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        self._displays.update_display(value, display_id=self.display_id, **options)


class ResultHook:
    """sys.displayhook: sends the value of a cell's last expression and keeps it in `_` and `Out`."""

    def __init__(self, interpreter, displays):
        self._interpreter = interpreter
        self._displays = displays
        self._last = object()

    def __call__(self, value):
        if value is None:
            return
        interpreter = self._interpreter
        data, metadata = self._displays.formatter.format(value)
        if data:
            content = {"execution_count": interpreter.execution_count, "data": data, "metadata": metadata}
            if interpreter.is_last:  # nothing of the user's runs behind it
                interpreter.outbox.quiet = True
            interpreter.outbox.publish("execute_result", content)
            interpreter.result_texts[interpreter.execution_count] = data.get("text/plain")
        self._keep(value)

    def _keep(self, value):
        """Shifts `_`, `__`, `___`, unless the user has made a `_` of their own."""
        names, count = self._interpreter.namespace, self._interpreter.execution_count
        results = self._interpreter.results
        if value is results:
            return
        if ("_" not in names or names["_"] is self._last) and not hasattr(builtins, "_"):
            names["___"], names["__"], names["_"] = names.get("__", ""), names.get("_", ""), value
            self._last = value
        results[count] = value
        names["_%d" % count] = value
