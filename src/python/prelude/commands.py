"""run and env: commands of the system, and the environment that they get."""

import os
import re
import subprocess
import time

from .calls import Record, Shown, Text, helper, note, say
from .excerpts import LISTED_LINES, say_lines
from .processes import Command

TIMED_OUT = 124
SECRET = re.compile(r"key|token|secret|passw|credential|auth", re.IGNORECASE)
_UNSET = object()


class Result(Shown):
    """What a command came to: `.stdout .stderr .code .ok .timed_out`. True where it has succeeded; as text its output."""

    def __init__(self, command, stdout, stderr, code, timed_out):
        self.command, self.stdout, self.stderr, self.code, self.timed_out = command, stdout, stderr, code, timed_out

    @property
    def ok(self):
        return self.code == 0

    @property
    def lines(self):
        return self.stdout.splitlines()

    def __bool__(self):
        return self.ok

    def __str__(self):
        return self.stdout

    def __repr__(self):
        return "Result(code=%r, stdout=%r, stderr=%r)" % (self.code, self.stdout, self.stderr)

    def __reduce_ex__(self, protocol):
        return object.__reduce_ex__(self, protocol)


@helper
def run(command, cwd=None, timeout=None, env=None, input=None, check=False):
    """Runs a command line in the shell, or a list of words as a program, and shows its output as it comes. Returns its result: `.stdout .stderr .code`. After `timeout` seconds it is ended with code 124. `check=True` raises where it fails."""
    shown = command if isinstance(command, str) else " ".join(str(word) for word in command)
    note(command=shown[:400], **({} if cwd is None else {"cwd": str(cwd)}))
    began = time.monotonic()
    with Command(command, cwd, env, input) as running:
        timed_out = not running.wait(timeout)
    code = TIMED_OUT if timed_out else running.code
    note(code=code, seconds=round(time.monotonic() - began, 3))
    result = Result(command, running.stdout, running.stderr, code, timed_out)
    if timed_out:
        running.say("[timed out after %g s]" % timeout)
        if check:
            raise subprocess.TimeoutExpired(command, timeout, result.stdout, result.stderr)
    elif code != 0:
        running.say("[exit code %d]" % code if code > 0 else "[ended by signal %d]" % -code)
        if check:
            raise subprocess.CalledProcessError(code, command, result.stdout, result.stderr)
    return result


@helper
def env(name=None, value=_UNSET):
    """Returns an environment variable (None where it is not set), sets it where a value is given, unsets it with None; without a name returns all of them. Prints what it returns, but no secrets."""
    if name is None:
        note(action="list", count=len(os.environ))
        say_lines(["%s=%s" % (one, _shown(one, os.environ[one])) for one in sorted(os.environ)], LISTED_LINES)
        return Record(os.environ)
    note(name=name, action="get" if value is _UNSET else "unset" if value is None else "set")
    if value is None:
        os.environ.pop(name, None)
    elif value is not _UNSET:
        os.environ[name] = str(value)
    found = os.environ.get(name)
    say("%s is not set" % name if found is None else "%s=%s" % (name, _shown(name, found)))
    return None if found is None else Text(found)


def _shown(name, value):
    return "***" if SECRET.search(name) and value else value
