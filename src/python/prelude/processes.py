"""A command that runs: its output is shown while it comes, and no way out leaves it running.

It stays in the kernel's process group, so that an interrupt reaches it as a terminal's Ctrl-C would, and the end of the
kernel too. What it starts carries a mark in the environment, by which all of it is found where it has to be ended.
"""

import codecs
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

from .calls import is_quiet

MARK = "NUTHATCH_COMMAND"
CHUNK = 65536
#: Seconds: after an interrupt until the command is ended, and from SIGTERM to SIGKILL.
INTERRUPT_GRACE = 0.6
TERM_GRACE = 0.3
#: Seconds after a command's end: without output until there is none any more, and at most, where a job of it goes on.
SILENCE = 0.1
REST = 1.0


class Command:
    """Started by its making, over when its `with` block is left."""

    def __init__(self, command, cwd, env, data):
        self._token = os.urandom(8).hex()
        words = [shutil.which("bash") or "/bin/sh", "-c", command] if isinstance(command, str) else list(command)
        self._process = subprocess.Popen(
            [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in words],
            cwd=None if cwd is None else os.path.expanduser(os.fspath(cwd)),
            env=_environment(env, self._token),
            stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            self._connect(data)
        except BaseException:  # an interrupt: its output is shown by now
            self._end(0)
            raise

    def _connect(self, data):
        quiet = is_quiet()
        self._readers = [
            _Reader(self._process.stdout, "stdout", quiet),
            _Reader(self._process.stderr, "stderr", quiet),
        ]
        if data is not None:
            _in_background(_feed, self._process.stdin, data.encode() if isinstance(data, str) else bytes(data))

    def __enter__(self):
        return self

    def __exit__(self, kind, _error, _frames):
        if kind is not None:
            self._end(INTERRUPT_GRACE if issubclass(kind, KeyboardInterrupt) else 0)
        self._finish_reading()

    @property
    def code(self):
        return self._process.returncode

    @property
    def stdout(self):
        return self._readers[0].text

    @property
    def stderr(self):
        return self._readers[1].text

    def wait(self, timeout):
        """Waits for its end. A command that takes longer is ended, and False returned."""
        try:
            self._process.wait(timeout)
            return True
        except subprocess.TimeoutExpired:
            self._end(0)
            return False

    def say(self, text):
        """Prints a line of our own after the output."""
        if not is_quiet():
            print(text if all(reader.at_line_start for reader in self._readers) else "\n" + text)

    def _end(self, grace):
        """Ends the command and what it has started; it may end by itself first."""
        try:
            _until(lambda: self._process.poll() is not None, grace)
            for number in (signal.SIGTERM, signal.SIGKILL):
                found = self._find()
                _signal(found, number)
                if not found or _until(lambda: not self._find(), TERM_GRACE):
                    break
        finally:
            _signal(self._find(), signal.SIGKILL)
            self._process.wait()

    def _find(self):
        own = {self._process.pid} if self._process.poll() is None else set()
        return own | _find_marked(self._token)

    def _finish_reading(self):
        """Takes the rest of the output. What a background job goes on to print is shown, but no part of the result."""
        ended_at = time.monotonic()
        for reader in self._readers:
            while reader.is_busy(ended_at):
                reader.thread.join(0.02)
            reader.close_text()


class _Reader:
    """Reads a pipe to its end in a thread of its own, and shows what comes."""

    def __init__(self, pipe, name, quiet):
        self._pipe, self._name, self._quiet = pipe, name, quiet
        self._parts = []
        self._is_reading = True
        self._came_at = time.monotonic()
        self.text = ""
        self.at_line_start = True
        self.thread = _in_background(self._read)

    def is_busy(self, ended_at):
        """Whether output of a process that ended then may still be on its way."""
        now = time.monotonic()
        waits = self._is_reading and now - max(self._came_at, ended_at) > SILENCE
        return self.thread.is_alive() and not waits and now - ended_at < REST

    def close_text(self):
        self.text = "".join(self._parts)

    def _read(self):
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with self._pipe:
            while True:
                self._is_reading = True
                data = os.read(self._pipe.fileno(), CHUNK)
                self._is_reading = False
                self._came_at = time.monotonic()
                self._take(decoder.decode(data, final=not data))
                if not data:
                    return

    def _take(self, text):
        if not text:
            return
        self._parts.append(text)
        self.at_line_start = text.endswith("\n")
        if not self._quiet:
            stream = getattr(sys, self._name)
            stream.write(text)
            stream.flush()


def _in_background(function, *values):
    thread = threading.Thread(target=function, args=values, daemon=True)
    thread.start()
    return thread


def _feed(pipe, data):
    try:
        with pipe:
            pipe.write(data)
    except OSError:  # it does not want all of it
        pass


def _environment(changes, token):
    env = dict(os.environ, **{MARK: token})
    env.setdefault("PYTHONUNBUFFERED", "1")
    for name, value in (changes or {}).items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = str(value)
    return env


def _until(is_done, seconds):
    """Waits so long at most; whether it is done."""
    deadline = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True


def _signal(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass


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
