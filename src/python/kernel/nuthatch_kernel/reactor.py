"""The io thread: every socket of the kernel, the wake-up pipe, and whatever else waits for the operating system.

States: bound (constructor), running (`start`), closed (`close`, in the process that bound). It owns the five listeners and
their peers, the poller and the wake-up pipe.
"""

import _signal as signal
import _thread
import os
import time
from _collections import deque
from _queue import SimpleQueue
from _struct import error as StructError

from .delivery import Delivery
from .imports import import_standard
from .messages import BadMessage
from .outbox import LIMIT, ForkedOutbox, Outbox
from .polling import READ, WRITE, Poller
from .sockets import Heartbeat, Publisher, Router
from .zmtp import Disconnected

UNSETTLED_PAUSE = 0.001


class Reactor:
    """Serves the sockets in a thread of its own. `control` is called with each control request, in that thread."""

    def __init__(self, connection, codec, interrupts):
        self.codec = codec
        self.lock = _thread.RLock()
        self.requests = SimpleQueue()
        self.input_replies = SimpleQueue()
        self.control = None
        self.last_words = 2
        self._interrupts = interrupts
        self.publisher = _listen(Publisher, connection, "iopub_port")
        self.shell = _listen(Router, connection, "shell_port")
        self.control_socket = _listen(Router, connection, "control_port")
        self.stdin = _listen(Router, connection, "stdin_port")
        self.heartbeat = _listen(Heartbeat, connection, "hb_port")
        self._listeners = (self.publisher, self.shell, self.control_socket, self.stdin, self.heartbeat)
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        interrupts.wake, interrupts.wake_descriptor = self.wake, self._wake_write
        self.outbox = Outbox(codec, self.wake, interrupts)
        self.outbox.held_locks.append(self.lock._is_owned)
        routers = {"shell": self.shell, "control": self.control_socket, "stdin": self.stdin}
        self._delivery = Delivery(codec, self.outbox, self.publisher, routers)
        self._poller = Poller()
        self._writing = set()
        self._calls = deque()
        self._read = deque()
        self._announce = None
        for listener in self._listeners:
            self._poller.register(listener.listening.fileno(), READ, (1, self._accept, listener))
        self._poller.register(self._wake_read, READ, (0, self._drain_wake, None))

    def start(self):
        _thread.start_new_thread(self._run_or_die, ())

    def call_in_loop(self, function):
        """Has the io thread call a function; only it may change what is watched."""
        self._calls.append(function)
        self.wake()

    def watch(self, descriptor, callback):
        """Calls back in the io thread, with its lock held, whenever a file descriptor can be read."""
        self._poller.register(descriptor, READ, (2, callback, None))

    def unwatch(self, descriptor):
        self._poller.unregister(descriptor)

    def wake(self):
        """Ends the present wait of the io thread. Safe in a signal handler."""
        try:
            os.write(self._wake_write, b"\0")
        except OSError:
            pass

    def flush(self):
        """Sends what the outbox holds from the calling thread, as far as the readers take it. Code of the user's that runs in
        the middle of the kernel's (`__del__`, a signal handler) leaves it to the io thread."""
        if self.outbox.is_inside():
            self.wake()
            return
        with self.lock:
            self._delivery.deliver(len(self.outbox.entries))
        if self._delivery.touched or self.outbox.entries:
            self.wake()
        if self._interrupts.held or self._interrupts.put_off:
            self._interrupts.surface()

    def add_request(self, request):
        """Queues a request for the main thread; None tells it to stop."""
        self.requests.put(request)
        if self._announce is not None:
            self._announce()

    def on_request(self, announce):
        """What to call in the io thread when a request has come; None for nothing."""
        self._announce = announce

    def take_waiting_requests(self):
        """Reads the shell sockets once more and empties the queue of requests; for the main thread."""
        with self.lock:
            for peer in list(self.shell.peers):
                self._serve_peer((self.shell, peer), READ, keep=True)
            self._hand_over()
        waiting = []
        while not self.requests.empty():
            waiting.append(self.requests.get())
        return waiting

    def send_now(self, channel, routing, parts):
        """Sends a message past the outbox; for the io thread's own answers. The lock is held."""
        self._delivery.send(channel, routing, parts)

    def close(self):
        for listener in self._listeners:
            listener.close()

    def leave(self):
        """In a forked child: closes its copies of everything, without a word to the peers."""
        signal.set_wakeup_fd(-1)
        self._interrupts.forked = True
        self.outbox.__class__ = ForkedOutbox
        self._poller.close()
        for listener in self._listeners:
            for peer in listener.peers:
                peer.connection.close()
            listener.listening.close()
        os.close(self._wake_read)
        os.close(self._wake_write)
        self._wake_read = self._wake_write = -1

    def _run_or_die(self):
        """A kernel without its io thread would be there and never answer: its owner can see an end, and read why."""
        try:
            self._run()
        except BaseException as error:
            os.write(self.last_words, "".join(import_standard("traceback").format_exception(None, error, error.__traceback__)).encode())
            os._exit(70)

    def _run(self):
        outbox, delivery, here = self.outbox, self._delivery, _thread.get_ident()
        outbox.held_locks.append(lambda: _thread.get_ident() == here)
        while True:
            outbox.awake = False
            timeout = delivery.timeout()
            outbox.awake = timeout is not None
            if self._interrupts.is_unsettled():
                timeout = UNSETTLED_PAUSE
            events = self._poller.wait(timeout)
            outbox.awake = True
            with self.lock:
                self._turn(sorted(events, key=_priority))
            if self._interrupts.is_unsettled():
                time.sleep(UNSETTLED_PAUSE)
                self._interrupts.try_again()

    def _turn(self, events):
        for (_, callback, target), mask in events:
            callback(target, mask)
        while self._calls:
            self._calls.popleft()()
        if not self._delivery.is_early():
            self._delivery.deliver()
        self._delivery.flush()
        for peer in self._delivery.find_stuck():
            self._drop(self.publisher, peer)
        self._update_interest()
        if self.outbox.size <= LIMIT // 2:
            self.outbox.on_room()
        self._hand_over()

    def _hand_over(self):
        """Wakes the main thread for the requests that were read: last of all, since both need the interpreter's lock."""
        while self._read:
            self.add_request(self._read.popleft())

    def _drain_wake(self, _target, _mask):
        try:
            self._interrupts.note_signals(os.read(self._wake_read, 4096))
        except OSError:
            pass

    def _accept(self, listener, _mask):
        peer = listener.accept()
        if peer is not None:
            self._poller.register(peer.connection.fileno(), READ, self._interest(listener, peer))
            self._delivery.touched.add(peer)

    def _interest(self, listener, peer):
        return (0 if listener is self.publisher else 1, self._serve_peer, (listener, peer))

    def _serve_peer(self, target, mask, keep=False):
        listener, peer = target
        try:
            if mask & READ:
                self._handle(listener, listener.read(peer))
            if peer.new_subscriptions:
                self._welcome(peer)
            if peer.waiting:
                self._delivery.touched.add(peer)
        except (Disconnected, ValueError, IndexError, StructError):
            if not keep:  # the io thread will see it too; only it may change the poller
                self._drop(listener, peer)

    def _handle(self, listener, messages):
        for frames in messages:
            if listener is self.heartbeat:
                listener.send(frames)
                continue
            try:
                request = self.codec.read(_CHANNELS[self._listeners.index(listener)], frames)
            except BadMessage:
                continue
            if listener is self.shell:
                self._read.append(request)
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
            self._poller.unregister(peer.connection.fileno())
        except KeyError:
            pass
        self._delivery.forget(peer)
        self._writing.discard(peer)
        listener.remove(peer)

    def _update_interest(self):
        """Asks for writability where something is left to send. Only the io thread changes the poller."""
        touched = self._delivery.touched
        if not touched and not self._writing:
            return
        for peer in touched ^ self._writing:
            self._poller.modify(peer.connection.fileno(), READ | WRITE if peer in touched else READ)
        self._writing = set(touched)


_CHANNELS = ("iopub", "shell", "control", "stdin")


def _listen(kind, connection, port):
    return kind(connection.get("transport", "tcp"), connection.get("ip", "127.0.0.1"), connection[port])


def _priority(event):
    """Subscriptions are read before requests, so that the first answer of a request has its reader."""
    return event[0][0]
