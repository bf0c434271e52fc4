"""From the outbox to the peers: text comes together to large messages, slow readers hold it back, stuck ones are cut off.

Everything here runs with the reactor's lock held, in the io thread or in the thread that flushes.
"""

import time

from .outbox import CHUNK, ENTRY_COST
from .zmtp import Disconnected

FLUSH_ABOVE = 1 << 20
PEER_LIMIT = 4 << 20  # bytes that may wait for one subscriber
GATHER_SECONDS = 0.01
HALF_LINE_SECONDS = 0.005
NO_LIMIT = -1
#: How long a reader may take nothing while others wait for it, and while it is the only one.
STUCK_SECONDS, STUCK_ALONE_SECONDS = 10, 120


class Delivery:
    """`touched` are the peers with something left to send; the reactor watches them for room."""

    def __init__(self, codec, outbox, publisher, routers):
        self.touched = set()
        self._codec = codec
        self._outbox = outbox
        self._publisher = publisher
        self._routers = routers
        self._due = 0.0
        self._waited = False
        self._stalled_since = {}

    def timeout(self):
        """Seconds until there is something to do without an event; None for never."""
        if self._outbox.entries and not self.is_stalled():
            return max(0, self._due - time.monotonic())
        return 1 if self._stalled_since else None

    def is_early(self):
        """Whether to let more text come together: a line that has just begun, which is waited for once, or a printer at work."""
        now = time.monotonic()
        if now >= self._due and not self._waited and self._is_half_a_line():
            self._waited = True
            self._due = now + HALF_LINE_SECONDS
        return now < self._due and self._outbox.size < CHUNK

    def is_stalled(self):
        """Whether a subscriber has more waiting than it may."""
        for peer in self._publisher.peers:
            if peer.waiting > PEER_LIMIT:
                return True
        return False

    def deliver(self, most=NO_LIMIT):
        """Turns entries of the outbox into messages, while the readers keep up; `most` of them."""
        outbox = self._outbox
        entries = outbox.entries
        texts, size, source = [], 0, (None, None)
        while entries and most and not self.is_stalled():
            entry = entries.popleft()
            most -= 1
            if texts and (entry[0] is not source[0] or entry[1] is not source[1] or size >= CHUNK):
                self._send_text(source, texts, size)
                texts, size = [], 0
            if entry[0] is None:
                _, channel, routing, parts, buffers, taken = entry
                self.send(channel, routing, parts, buffers)
                outbox.size -= taken
                continue
            source = entry[:2]
            texts.append(entry[2])
            size += len(entry[2])
        if texts:
            self._send_text(source, texts, size)
            self._due = time.monotonic() + GATHER_SECONDS
        if not entries:
            outbox.size = 0
        self.flush()

    def send(self, channel, routing, parts, buffers=()):
        """Signs a message and queues it for its peers."""
        frames = self._codec.sign(routing, parts, buffers)
        if channel == "iopub":
            peers = self._publisher.send(frames)
        else:
            peer = self._routers[channel].send(frames)
            peers = () if peer is None else (peer,)
        for peer in peers:
            self.touched.add(peer)
            if peer.waiting > FLUSH_ABOVE:
                self.flush()

    def flush(self):
        """Gives the operating system what it takes. A peer that is gone is left for the reactor to find."""
        for peer in list(self.touched):
            try:
                if peer.flush():
                    self.touched.discard(peer)
            except Disconnected:
                self.touched.discard(peer)
                peer.give_up()

    def forget(self, peer):
        self.touched.discard(peer)
        self._stalled_since.pop(peer, None)

    def find_stuck(self):
        """The subscribers that have taken nothing for too long; one of them would stop all others."""
        now, stuck = time.monotonic(), []
        limit = STUCK_SECONDS if len(self._publisher.peers) > 1 else STUCK_ALONE_SECONDS
        for peer in self._publisher.peers:
            if peer.waiting <= PEER_LIMIT // 2:
                self._stalled_since.pop(peer, None)
                continue
            sent, since = self._stalled_since.get(peer, (-1, now))
            if sent != peer.sent:
                self._stalled_since[peer] = (peer.sent, now)
            elif now - since > limit:
                stuck.append(peer)
        return stuck

    def _send_text(self, source, texts, size):
        self._waited = False
        name, request = source
        text = texts[0] if len(texts) == 1 else "".join(texts)
        topic = [b"stream." + name.encode()]
        for start in range(0, size, CHUNK):
            content = {"name": name, "text": text if size <= CHUNK else text[start : start + CHUNK]}
            self.send("iopub", topic, self._codec.encode("stream", content, request))
        self._outbox.size -= size + len(texts) * ENTRY_COST

    def _is_half_a_line(self):
        try:
            entry = self._outbox.entries[-1]
        except IndexError:
            return False
        return entry[0] is not None and not entry[2].endswith("\n")
