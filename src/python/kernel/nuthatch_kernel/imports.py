"""Imports for the kernel itself, from the standard library alone: a user's own json.py or traceback.py is never taken."""

import os
import sys

#: Where the kernel's own files are; code from here is the kernel's, not the user's.
FOLDER = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = os.path.dirname(os.__file__)


def is_library(filename):
    """Whether a file is a part of Python itself; packages installed into its folder are not."""
    if filename.startswith(_LIBRARY):
        return "-packages" not in filename
    return filename.startswith("<frozen ")


def standard_path(path):
    """The entries of a module search path that belong to Python's own library."""
    return [entry for entry in path if is_library(entry) or entry.endswith(".zip")]


def import_standard(name):
    """Imports a module of the standard library late, when it is first needed."""
    found = sys.modules.get(name)
    return found if found is not None else _import_on(name, standard_path(sys.path))


def import_kernel(name):
    """Imports a part of the kernel late; its compiled form is cached whatever the user set for their own modules."""
    full = "%s.%s" % (__package__, name)
    found = sys.modules.get(full)
    return found if found is not None else _import_on(full, standard_path(sys.path))


def _import_on(name, path):
    kept_path, kept_flag = sys.path, sys.dont_write_bytecode
    sys.path = path
    if name.startswith(__package__):
        sys.dont_write_bytecode = False
    try:
        __import__(name)
        return sys.modules[name]
    finally:
        sys.path = kept_path
        sys.dont_write_bytecode = kept_flag
