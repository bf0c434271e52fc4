"""sys.stdout and sys.stderr of the user: text goes to the outbox, with the request it belongs to."""

import codecs
import io
import os


class OutputStream(io.TextIOBase):
    """A text stream that never blocks on a lock. In a forked child it writes to the file descriptor instead."""

    encoding = "utf-8"
    errors = "replace"
    newlines = None
    line_buffering = True

    def __init__(self, name, descriptor, outbox, flush):
        super().__init__()
        self.name = "<%s>" % name
        self.mode = "w"
        self._descriptor = descriptor
        self._flush = flush
        self._forked = False
        self._half_line = ""
        self.write = outbox.make_write(name)
        self.buffer = ByteStream(self)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        if self._forked:
            text, self._half_line = self._half_line, ""
            write_all(self._descriptor, text.encode("utf-8", "replace"))
        else:
            self._flush()

    def fileno(self):
        return self._descriptor

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False

    def reconfigure(self, **_options):
        """Accepted for programs that set the encoding of their output: it is always UTF-8 here."""

    def after_fork(self):
        """The child has no io thread: its text takes the way of its own children's, by the line as they share it."""
        self._forked = True
        self.write = self._write_lines

    def _write_lines(self, text):
        self._half_line += text
        if "\n" in text:
            lines, _, rest = self._half_line.rpartition("\n")
            self._half_line = rest
            write_all(self._descriptor, (lines + "\n").encode("utf-8", "replace"))
        return len(text)


class ByteStream(io.BufferedIOBase):
    """The `buffer` of an OutputStream: bytes are decoded as UTF-8, also when a character comes in pieces."""

    def __init__(self, stream):
        super().__init__()
        self._text_stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data):
        data = bytes(data)
        self._text_stream.write(self._decoder.decode(data))
        return len(data)

    def flush(self):
        self._text_stream.flush()

    def fileno(self):
        return self._text_stream.fileno()

    def writable(self):
        return True


def write_all(descriptor, data):
    """Writes everything to a file descriptor."""
    while data:
        data = data[os.write(descriptor, data) :]
