"""The modules of every start in one file, which halves the time of their imports.

The first start with a Python writes it beside Python's own cached files, later ones take it as long as no module has
changed. What is broken, or cannot be written, costs time and nothing else.
"""

import marshal
import os
import sys
from _imp import source_hash

PACKAGE = __name__.rpartition(".")[0]
FOLDER = os.path.dirname(os.path.abspath(__file__))
CHECK_SIZE = 8  # bytes of `source_hash`


def import_main():
    """Imports the kernel and returns its `main`."""
    path = os.path.join(FOLDER, "__pycache__", "start.%x" % sys.hexversion)
    finder = StartFinder(_read(path))
    sys.meta_path.insert(0, finder)
    from .__main__ import main

    sys.meta_path.remove(finder)
    if not finder.codes:
        _write(path)
    return main


class StartFinder:
    """Finds and loads the modules whose code it was given, by their full names."""

    def __init__(self, codes):
        self.codes = codes

    def find_spec(self, name, _path=None, _target=None):
        code = self.codes.get(name)
        if code is None:
            return None
        spec = type(__spec__)(name, self, origin=code.co_filename)
        spec.has_location = True
        return spec

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        exec(self.codes[module.__name__], module.__dict__)


def _read(path):
    """The codes by name; empty where there are none, or older ones."""
    try:
        with open(path, "rb", 0) as file:
            data = file.read()
        if source_hash(sys.hexversion, data[CHECK_SIZE:]) != data[:CHECK_SIZE]:
            return {}
        stamps, codes = marshal.loads(data[CHECK_SIZE:])
        return codes if all(_stamp(file) == stamp for file, stamp in stamps.items()) else {}
    except (OSError, ValueError, TypeError, EOFError):
        return {}


def _write(path):
    modules = [module for name, module in sys.modules.items() if name.startswith(PACKAGE + ".") and name != __name__]
    temporary = "%s.%d" % (path, os.getpid())
    try:
        codes = {module.__name__: module.__loader__.get_code(module.__name__) for module in modules}
        data = marshal.dumps(({module.__file__: _stamp(module.__file__) for module in modules}, codes))
        with open(temporary, "wb") as file:
            file.write(source_hash(sys.hexversion, data) + data)
        os.replace(temporary, path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            pass


def _stamp(file):
    found = os.stat(file)
    return found.st_mtime_ns, found.st_size
