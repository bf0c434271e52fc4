"""Shell commands of a cell: their output takes the captured file descriptors, an interrupt ends all that they started."""

import os
import shutil
import signal
import subprocess
import time

from .interrupts import interruptible

MARK = "NUTHATCH_COMMAND"
GRACE_SECONDS = 0.3


class Lines(list):
    """What a command printed, by lines; `n` is the text, `s` the words, `status` the exit status."""

    def __init__(self, text, status):
        super().__init__(text.splitlines())
        self.status = status

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)

    @property
    def l(self):
        return list(self)


def run_shell(interrupts, command):
    """Runs a command line in the user's shell; its exit status."""
    return run_program(interrupts, [find_shell(), "-c", command])[0]


def read_shell(interrupts, command):
    """Runs a command line and reads its output, errors among it."""
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    status, output = run_program(interrupts, [find_shell(), "-c", command], None, **pipe)
    return Lines(output[0].decode("utf-8", "replace"), status)


def find_shell():
    return shutil.which("bash") or "/bin/sh"


def run_program(interrupts, words, data=None, **streams):
    """Runs a program with `data` as its standard input; its status, and what it wrote to streams that are pipes."""
    token = os.urandom(8).hex()
    stdin = subprocess.DEVNULL if data is None else subprocess.PIPE
    process = subprocess.Popen(words, stdin=stdin, env=dict(os.environ, **{MARK: token}), **streams)
    try:
        output = _communicate(process, data)
        interrupts.raise_for_child(process.returncode)
    except BaseException:
        _end_marked(process, token)
        raise
    return process.returncode, output


@interruptible
def _communicate(process, data):
    return process.communicate(data)


def _end_marked(process, token):
    """Ends what an interrupted command has left: also its background jobs, which a shell keeps from SIGINT."""
    deadline = time.monotonic() + GRACE_SECONDS
    for number in (signal.SIGTERM, signal.SIGKILL):
        found = _find_marked(token) | ({process.pid} if process.poll() is None else set())
        for pid in found:
            try:
                os.kill(pid, number)
            except OSError:
                pass
        while found and time.monotonic() < deadline and (process.poll() is None or _find_marked(token)):
            time.sleep(0.01)
    process.wait()


def _find_marked(token):
    """The processes that have inherited a command's mark, where the system shows environments as files."""
    mark = ("%s=%s" % (MARK, token)).encode()
    found = set()
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        try:
            with open("/proc/%s/environ" % int(name), "rb") as file:
                if mark in file.read():
                    found.add(int(name))
        except (ValueError, OSError):
            continue
    return found
