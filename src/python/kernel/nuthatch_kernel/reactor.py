"""The io thread: every socket of the kernel, the wake-up pipe, and whatever else waits for the operating system.

States: bound (constructor), running (`start`), closed (`close`, in the process that bound). It owns the five listeners and
their peers, the selector and the wake-up pipe.
"""

import os
import selectors
import threading
import time
from _queue import SimpleQueue

from .messages import BadMessage
from .outbox import CHUNK, ENTRY_COST, LIMIT, Outbox
from .sockets import Heartbeat, Publisher, Router
from .zmtp import Disconnected

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
FLUSH_ABOVE = 1 << 20
HELD_SIGNAL_PAUSE = 0.001


class Reactor:
    """Serves the sockets in a thread of its own. `control` is called with each control request, in that thread."""

    def __init__(self, connection, codec):
        self.codec = codec
        self.lock = threading.Lock()
        self.requests = SimpleQueue()
        self.input_replies = SimpleQueue()
        self.control = None
        self.interrupts = None
        self.publisher = self._listen(Publisher, connection, "iopub_port")
        self.shell = self._listen(Router, connection, "shell_port")
        self.control_socket = self._listen(Router, connection, "control_port")
        self.stdin = self._listen(Router, connection, "stdin_port")
        self.heartbeat = self._listen(Heartbeat, connection, "hb_port")
        self.sockets = {"shell": self.shell, "control": self.control_socket, "stdin": self.stdin}
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self.outbox = Outbox(codec, self.wake)
        self._selector = selectors.DefaultSelector()
        self._touched = set()
        self._writing = set()
        self._stalled_since = {}
        for listener in (self.publisher, self.shell, self.control_socket, self.stdin, self.heartbeat):
            self._selector.register(listener.listening, READ, (1, self._accept, listener))
        self._selector.register(self._wake_read, READ, (0, self._drain_wake, None))

    @staticmethod
    def _listen(kind, connection, port):
        return kind(connection.get("transport", "tcp"), connection.get("ip", "127.0.0.1"), connection[port])

    def start(self):
        threading.Thread(target=self._run, name="nuthatch-io", daemon=True).start()

    def watch(self, descriptor, callback):
        """Calls back in the io thread, with its lock held, whenever a file descriptor can be read."""
        self._selector.register(descriptor, READ, (2, callback, None))

    def unwatch(self, descriptor):
        self._selector.unregister(descriptor)

    def wake(self):
        """Ends the present wait of the io thread. Safe in a signal handler."""
        try:
            os.write(self._wake_write, b"\0")
        except OSError:
            pass

    def flush(self):
        """Sends what the outbox holds from the calling thread, as far as the readers take it."""
        with self.lock:
            self.deliver()
        if self._touched:
            self.wake()

    def take_waiting_requests(self):
        """Reads the shell sockets once more and empties the queue of requests; for the main thread."""
        with self.lock:
            for peer in list(self.shell.peers):
                self._serve_peer((self.shell, peer), READ, keep=True)
        waiting = []
        while not self.requests.empty():
            waiting.append(self.requests.get())
        return waiting

    def send_now(self, channel, routing, parts):
        """Sends a message past the outbox; for the io thread's own answers. The lock is held."""
        self._send(channel, routing, parts, ())

    def _run(self):
        while True:
            self.outbox.awake = False
            events = self._selector.select(self._timeout())
            self.outbox.awake = True
            with self.lock:
                for key, mask in sorted(events, key=_priority):
                    _, callback, target = key.data
                    callback(target, mask)
                self.deliver()
                self._update_interest()
                self._cut_off_stuck()
            if self.interrupts is not None and self.interrupts.held:
                time.sleep(HELD_SIGNAL_PAUSE)
                self.interrupts.try_again()

    def _timeout(self):
        if self.outbox.entries and not self._stalled():
            return 0
        return 1 if self._stalled_since else None

    def _drain_wake(self, _target, _mask):
        try:
            os.read(self._wake_read, 4096)
        except OSError:
            pass

    def _accept(self, listener, _mask):
        peer = listener.accept()
        if peer is not None:
            priority = 0 if listener is self.publisher else 1
            self._selector.register(peer.connection, READ, (priority, self._serve_peer, (listener, peer)))
            self._touched.add(peer)

    def _serve_peer(self, target, mask, keep=False):
        listener, peer = target
        try:
            if mask & READ:
                self._handle(listener, listener.read(peer))
            if peer.new_subscriptions:
                self._welcome(peer)
            if peer.waiting:
                self._touched.add(peer)
        except Disconnected:
            if not keep:  # the io thread will see it too; only it may change the selector
                self._drop(listener, peer)

    def _handle(self, listener, messages):
        for frames in messages:
            if listener is self.heartbeat:
                listener.send(frames)
                continue
            channel = next(name for name, socket in self.sockets.items() if socket is listener)
            try:
                request = self.codec.read(channel, frames)
            except BadMessage:
                continue
            if listener is self.shell:
                self.requests.put(request)
            elif listener is self.stdin:
                self.input_replies.put(request)
            else:
                self.control(request)

    def _welcome(self, peer):
        """Tells a subscriber that its subscription is live (JEP 65)."""
        for topic in peer.new_subscriptions:
            content = {"subscription": topic.decode("utf-8", "replace")}
            peer.send(self.codec.sign([topic], self.codec.encode("iopub_welcome", content)))
        peer.new_subscriptions = []

    def _drop(self, listener, peer):
        try:
            self._selector.unregister(peer.connection)
        except (KeyError, ValueError):
            pass
        self._touched.discard(peer)
        self._writing.discard(peer)
        self._stalled_since.pop(peer, None)
        listener.remove(peer)

    def _listener_of(self, peer):
        listeners = (self.publisher, self.shell, self.control_socket, self.stdin, self.heartbeat)
        return next(listener for listener in listeners if peer in listener.peers)

    def deliver(self):
        """Turns entries of the outbox into messages while the readers keep up. The lock is held."""
        outbox = self.outbox
        entries = outbox.entries
        texts, size, source = [], 0, (None, None)
        while entries and not self._stalled():
            entry = entries.popleft()
            if texts and (entry[0] is not source[0] or entry[1] is not source[1]):
                self._send_text(source, texts, size)
                texts, size = [], 0
            if entry[0] is None:
                _, channel, routing, parts, buffers = entry
                self._send(channel, routing, parts, buffers)
                outbox.size -= sum(map(len, parts)) + sum(map(len, buffers))
                continue
            source = entry[:2]
            texts.append(entry[2])
            size += len(entry[2])
            if size >= CHUNK:
                self._send_text(source, texts, size)
                texts, size = [], 0
        if texts:
            self._send_text(source, texts, size)
        if not entries:
            outbox.size = 0
        self._flush_touched()

    def _send_text(self, source, texts, size):
        name, request = source
        text = texts[0] if len(texts) == 1 else "".join(texts)
        for start in range(0, size, CHUNK):
            content = {"name": name, "text": text[start : start + CHUNK]}
            parts = self.codec.encode("stream", content, request)
            self._send("iopub", [b"stream." + name.encode()], parts, ())
        self.outbox.size -= size + len(texts) * ENTRY_COST

    def _send(self, channel, routing, parts, buffers):
        frames = self.codec.sign(routing, parts, buffers)
        if channel == "iopub":
            peers = self.publisher.send(frames)
        else:
            peer = self.sockets[channel].send(frames)
            peers = () if peer is None else (peer,)
        for peer in peers:
            self._touched.add(peer)
            if peer.waiting > FLUSH_ABOVE:
                self._flush_touched()

    def _flush_touched(self):
        for peer in list(self._touched):
            try:
                if peer.flush():
                    self._touched.discard(peer)
            except Disconnected:
                self._touched.discard(peer)
                peer.waiting = 0
                peer.ready = False

    def _stalled(self):
        return any(peer.waiting > LIMIT for peer in self.publisher.peers)

    def _update_interest(self):
        """Asks for writability where something is left to send. Only the io thread changes the selector."""
        for peer in self._touched ^ self._writing:
            mask = READ | WRITE if peer in self._touched else READ
            target = (self._listener_of(peer), peer)
            priority = 0 if target[0] is self.publisher else 1
            self._selector.modify(peer.connection, mask, (priority, self._serve_peer, target))
        self._writing = set(self._touched)

    def _cut_off_stuck(self):
        """A reader that takes nothing stops the others: it is dropped after 10 s, one that is alone after 2 minutes."""
        now = time.monotonic()
        for peer in list(self.publisher.peers):
            if peer.waiting <= LIMIT // 2:
                self._stalled_since.pop(peer, None)
                continue
            sent, since = self._stalled_since.get(peer, (-1, now))
            if sent != peer.sent:
                self._stalled_since[peer] = (peer.sent, now)
            elif now - since > (10 if len(self.publisher.peers) > 1 else 120):
                self._drop(self.publisher, peer)

    def close(self):
        for listener in (self.publisher, self.shell, self.control_socket, self.stdin, self.heartbeat):
            listener.close()


def _priority(event):
    """Subscriptions are read before requests, so that the first answer of a request has its reader."""
    return event[0].data[0]
