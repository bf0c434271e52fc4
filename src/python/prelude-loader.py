"""Imports the prelude's package. Run by `exec` in a namespace of its own with ORDER, JSON: its `folder`, or else its `files`."""

import importlib.util
import json
import os
import sys

PACKAGE = "nuthatch_prelude"


class FromText:
    """Finds and loads the package where its files could not be put on a disk."""

    def __init__(self, files):
        self.files = files

    def find_spec(self, name, path=None, target=None):
        if self.file_of(name) not in self.files:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=name == PACKAGE)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        file = self.file_of(module.__name__)
        module.__file__ = "<nuthatch>/%s/%s" % (PACKAGE, file)
        exec(compile(self.files[file], module.__file__, "exec"), module.__dict__)

    def file_of(self, name):
        package, _, inside = name.partition(".")
        return (inside or "__init__") + ".py" if package == PACKAGE else ""


def load(order):
    """Imports with Python's own library alone on the path: a user's json.py is not taken for the real one."""
    kept = sys.path, sys.dont_write_bytecode
    library = os.path.dirname(os.__file__)
    own = [entry for entry in sys.path if entry.startswith(library) and "-packages" not in entry or entry[-4:] == ".zip"]
    finder = FromText(order.get("files", {}))
    sys.meta_path.insert(0, finder)
    sys.path, sys.dont_write_bytecode = ([order["folder"]] if "folder" in order else []) + own, False
    try:
        importlib.import_module(PACKAGE)
    finally:
        sys.path, sys.dont_write_bytecode = kept
        sys.meta_path.remove(finder)


load(json.loads(ORDER))
