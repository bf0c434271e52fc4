"""The magics of this kernel: those that programs and agents really use."""

import os
import runpy
import shlex
import subprocess
import sys
from types import ModuleType

from .imports import import_kernel
from .processes import find_shell, run_program


class UsageError(Exception):
    """A magic that is not known, or not in this way."""

    __module__ = "builtins"


def run_magic(shell, interpreter, kind, name, line, cell=None):
    """Runs a line or cell magic. Raises UsageError for one that this kernel has not."""
    run = (LINE if kind == "line" else CELL).get(name)
    if run is None:
        raise UsageError(_unknown(kind, name))
    return run(interpreter, line) if kind == "line" else run(interpreter, line, cell)


def _unknown(kind, name):
    there = " ".join("%" + one for one in sorted(LINE)) + " " + " ".join("%%" + one for one in sorted(CELL))
    sign = "%" if kind == "line" else "%%"
    return "the magic %s%s is not known here. There are: %s. A kernel with ipykernel has the rest." % (sign, name, there)


def change_directory(interpreter, line):
    """%cd [folder]: home without one, the last one for `-`."""
    before = os.getcwd()
    target = interpreter.last_directory if line == "-" else os.path.expanduser(line.strip("'\"") or "~")
    if target is None:
        raise UsageError("%cd -: there is no earlier folder")
    os.chdir(target)
    interpreter.last_directory = before
    print(os.getcwd())


def environment(_interpreter, line):
    """%env: all; %env NAME: one; %env NAME=value or NAME value: sets it."""
    if not line:
        return dict(os.environ)
    name, sign, value = line.partition("=" if "=" in line else " ")
    if not sign:
        if name not in os.environ:
            raise UsageError("the environment has no %s" % name)
        return os.environ[name]
    os.environ[name.strip()] = value.strip()
    print("env: %s=%s" % (name.strip(), value.strip()))


def pip(interpreter, line):
    """%pip: pip of the kernel's own Python."""
    words = [sys.executable, "-m", "pip"] + shlex.split(line)
    if run_program(interpreter.interrupts, words)[0] == 0 and words[3:4] == ["install"]:
        print("Restart the kernel to use updated packages that were imported before.")


def who(interpreter, line):
    """%who [type...]: the user's names, of some types only."""
    wanted, hidden = line.split(), ("In", "Out", "get_ipython")
    names = [
        name
        for name, value in sorted(interpreter.namespace.items())
        if not name.startswith("_") and name not in hidden and (not wanted or type(value).__name__ in wanted)
        and not (isinstance(value, ModuleType) and not wanted and name.startswith("@"))
    ]
    print("\t ".join(names) if names else "No variables match your requested type." if wanted else "Interactive namespace is empty.")


def run_file(interpreter, line):
    """%run [-i] file [arguments]: a script or notebook; what it defines is the user's afterwards."""
    words = shlex.split(line)
    shared = words[:1] == ["-i"]
    words = words[1:] if shared else words
    if not words:
        raise UsageError("%run needs a file")
    path = os.path.expanduser(words[0])
    path = path if os.path.exists(path) or path.endswith(".py") else path + ".py"
    if path.endswith(".ipynb"):
        return import_kernel("notebook_file").run_notebook(interpreter, path)
    kept_arguments, kept_path = sys.argv, list(sys.path)
    sys.argv = [path] + words[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        found = runpy.run_path(path, dict(interpreter.namespace) if shared else None, "__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
        return None
    finally:
        sys.argv, sys.path[:] = kept_arguments, kept_path
        sys.modules["__main__"] = interpreter.module
    interpreter.namespace.update((name, value) for name, value in found.items() if not name.startswith("__"))


def matplotlib(_interpreter, line):
    """%matplotlib [inline]: figures are always shown in the cell here."""
    words = line.split("#")[0].split()
    if words and words[0] not in ("inline", "agg", "Agg"):
        raise UsageError("%%matplotlib %s needs a window or widgets; this kernel shows figures in the cell (inline)" % words[0])


def bash(interpreter, line, cell):
    """%%bash [--out name] [--err name] [--no-raise-error]: a script for bash."""
    words, kept = shlex.split(line), {}
    for option, stream in (("--out", "stdout"), ("--err", "stderr")):
        if option in words:
            place = words.index(option)
            if place + 1 == len(words):
                raise UsageError("%%%%bash %s needs a name" % option)
            kept[stream] = words[place + 1]
            del words[place : place + 2]
    streams = {stream: subprocess.PIPE for stream in kept}
    program = [find_shell()] + [word for word in words if word != "--no-raise-error"]
    status, output = run_program(interpreter.interrupts, program, cell.encode("utf-8", "replace"), **streams)
    for stream, name in kept.items():
        interpreter.namespace[name] = output[stream == "stderr"].decode("utf-8", "replace")
    if status != 0 and "--no-raise-error" not in words:
        raise subprocess.CalledProcessError(status, "bash")


def capture(interpreter, line, cell):
    """%%capture [name] [--no-stdout] [--no-stderr] [--no-display]: keeps the output instead of showing it."""
    words = line.split()
    kept = import_kernel("captured_cell").capture_cell(interpreter, cell, [word for word in words if word.startswith("--")])
    for name in words[:1]:
        if not name.startswith("--"):
            interpreter.namespace[name] = kept


def write_file(_interpreter, line, cell):
    """%%writefile [-a] file: writes the cell to a file."""
    words = shlex.split(line)
    appends = bool({"-a", "--append"} & set(words))
    names = [word for word in words if word not in ("-a", "--append")]
    if len(names) != 1:
        raise UsageError("%%writefile needs one file name")
    path = os.path.expanduser(names[0])
    print(("Appending to %s" if appends else "Overwriting %s" if os.path.exists(path) else "Writing %s") % path)
    with open(path, "a" if appends else "w", encoding="utf-8") as file:
        file.write(cell)


def _timing(name):
    return lambda *arguments: getattr(import_kernel("timing"), name)(*arguments)


LINE = {
    "cd": change_directory,
    "env": environment,
    "matplotlib": matplotlib,
    "pip": pip,
    "pwd": lambda _interpreter, _line: os.getcwd(),
    "run": run_file,
    "time": _timing("time_line"),
    "timeit": _timing("timeit_line"),
    "who": who,
}
CELL = {
    "bash": bash,
    "capture": capture,
    "time": _timing("time_cell"),
    "timeit": _timing("timeit_cell"),
    "writefile": write_file,
}
