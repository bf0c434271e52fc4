"""Signed Jupyter messages ("Messaging in Jupyter", The Wire Protocol): frames to requests and back."""

import os
import time
from itertools import count

from .digests import Signer, same_digest
from .json_text import decode_json, encode_json

DELIMITER = b"<IDS|MSG>"
PROTOCOL_VERSION = "5.4"


class BadMessage(Exception):
    """Frames that are no signed Jupyter message."""


class Request:
    """A message from a client; everything that it causes names it as its parent."""

    __slots__ = ("channel", "routing", "header", "parent_bytes", "content", "metadata", "buffers", "msg_type", "msg_id")

    def __init__(self, channel, routing, header, parent_bytes, content, metadata=None, buffers=()):
        self.channel = channel
        self.routing = routing
        self.header = header
        self.parent_bytes = parent_bytes
        self.content = content
        self.metadata = metadata or {}
        self.buffers = buffers
        self.msg_type = header.get("msg_type", "")
        self.msg_id = header.get("msg_id", "")


class MessageCodec:
    """Reads and writes the messages of one kernel: its key, its session and its counter."""

    def __init__(self, key):
        self.session = os.urandom(16).hex()
        self._signer = Signer(key)
        self._next_count = count(1).__next__  # in one step, so that no two threads get the same
        self._seen = {}
        self._second = (0, "")

    def read(self, channel, frames):
        """Checks the signature and decodes; raises BadMessage, also for a message that was seen before."""
        try:
            start = frames.index(DELIMITER)
            signature, header, _, metadata, content = frames[start + 1 : start + 6]
        except ValueError:
            raise BadMessage("not a Jupyter message")
        parts = frames[start + 2 : start + 6]
        if self._signer.key:
            if not same_digest(self._signer.sign(parts), signature):
                raise BadMessage("wrong signature")
            if signature in self._seen:
                raise BadMessage("replayed")
            self._remember(signature)
        try:
            decoded = [decode_json(part.decode("utf-8", "surrogatepass")) for part in (header, metadata, content)]
        except Exception as error:
            raise BadMessage("no JSON: %s" % error)
        if not all(isinstance(part, dict) for part in decoded):
            raise BadMessage("a part is no object")
        return Request(channel, frames[:start], decoded[0], header, decoded[2], decoded[1], frames[start + 6 :])

    def encode(self, msg_type, content, parent=None, metadata=None):
        """The four JSON frames of a message. Done at once, in the sender's thread: content may change afterwards."""
        return [
            self._encode_header(msg_type),
            parent.parent_bytes if parent is not None else b"{}",
            encode_json(metadata) if metadata else b"{}",
            encode_json(content),
        ]

    def encode_status(self, state, parent):
        """The same for a status, of which each request has two."""
        return [self._encode_header("status"), parent.parent_bytes, b"{}", b'{"execution_state":"%s"}' % state.encode()]

    def sign(self, routing, parts, buffers=()):
        """All frames of a message, ready to send."""
        return [*routing, DELIMITER, self._signer.sign(parts), *parts, *buffers]

    def _encode_header(self, msg_type):
        now = time.time()
        second = int(now)
        if self._second[0] != second:
            self._second = (second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second)))
        return (
            '{"msg_id":"%s_%d","msg_type":"%s","username":"kernel","session":"%s","date":"%s.%06dZ","version":"%s"}'
            % (
                self.session,
                self._next_count(),
                msg_type,
                self.session,
                self._second[1],
                (now - second) * 1e6,
                PROTOCOL_VERSION,
            )
        ).encode()

    def _remember(self, signature):
        """Keeps the last few thousand signatures, the oldest go first."""
        self._seen[signature] = None
        if len(self._seen) > 4096:
            del self._seen[next(iter(self._seen))]
