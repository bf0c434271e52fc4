"""Looks at the user's imports: a few modules are fitted to the kernel when they come in, the first C module starts the
relay. A finder before the usual one does it; modules found elsewhere are none of its business."""

import sys

from .imports import is_library, standard_path

#: Half the library is built on these, so a file of the user's that has such a name is not taken for one, as in IPython.
FOUNDATIONS = frozenset(
    ("_weakrefset", "collections", "contextvars", "functools", "keyword", "operator", "reprlib", "selectors", "struct")
    + ("threading", "types")
)


class ImportHooks:
    """`after` maps a module's name to what is called with it once it has run; `missing` makes modules that are not installed."""

    def __init__(self, on_native):
        self.after = {}
        self.missing = {}
        self._on_native = on_native
        self._finder = None

    def install(self):
        """Takes its place before the finder of files, which it asks itself; importlib's names cost a millisecond. What an
        environment's start-up files have imported is adapted now."""
        for place, finder in enumerate(sys.meta_path):
            if getattr(finder, "__name__", "") == "PathFinder":
                self._finder = finder
                sys.meta_path.insert(place, self)
                break
        for name in self.after.keys() & sys.modules.keys():
            _adapt(self.after[name], sys.modules[name])

    def find_spec(self, name, path=None, target=None):
        if name in FOUNDATIONS:
            path = standard_path(sys.path)
        spec = self._finder.find_spec(name, path, target)
        if spec is None:
            make = self.missing.get(name)
            return None if make is None else make(name)
        if self._on_native is not None and _is_native(spec):
            start, self._on_native = self._on_native, None
            start()
        adapt = self.after.get(name)
        if adapt is not None and spec.loader is not None:
            _run_after(spec.loader, adapt)
        return spec

    def invalidate_caches(self):
        """PathFinder clears its own."""


def _is_native(spec):
    """Code that may print past Python: compiled modules of packages, and ctypes of the library."""
    if type(spec.loader).__name__ != "ExtensionFileLoader":
        return False
    return spec.name == "_ctypes" or not is_library(spec.origin or "")


def _run_after(loader, adapt):
    execute = loader.exec_module

    def execute_and_adapt(module):
        del loader.exec_module
        execute(module)
        _adapt(adapt, module)

    loader.exec_module = execute_and_adapt


def _adapt(adapt, module):
    try:
        adapt(module)
    except Exception:  # another version of the module than was thought of works as it is
        pass
