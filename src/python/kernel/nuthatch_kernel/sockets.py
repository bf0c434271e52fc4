"""The kernel's listening sockets in the ZeroMQ patterns it needs: ROUTER, PUB and REP (rfc.zeromq.org/spec/28 to /30).

The reactor owns them: it accepts, reads and flushes when the operating system says so, and closes them at the end.
`_socket` has all that is needed of `socket`, without its milliseconds.
"""

import _socket as socket
import os
from _struct import pack

from .zmtp import Disconnected, Peer, encode_message


class Listener:
    """A bound socket and its peers; `accepted` says which socket types may connect."""

    socket_type = b""
    accepted = ()

    def __init__(self, transport, ip, port):
        self.peers = set()
        self.path = None
        if transport == "ipc":
            self.path = "%s-%s" % (ip, port)
            if os.path.exists(self.path):
                os.unlink(self.path)
            self.listening = socket.socket(socket.AF_UNIX)
            self.listening.bind(self.path)
            self.port = port
        else:
            self.listening = socket.socket(socket.AF_INET6 if ":" in ip else socket.AF_INET)
            self.listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listening.bind(("" if ip == "*" else ip, port))
            self.port = self.listening.getsockname()[1]
        self.listening.listen(64)
        self.listening.setblocking(False)

    def accept(self):
        """The next waiting peer, or None."""
        try:
            connection = socket.socket(fileno=self.listening._accept()[0])
        except OSError:
            return None
        if self.path is None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer = Peer(connection, self.socket_type, self.accepted)
        self.peers.add(peer)
        return peer

    def read(self, peer):
        """Reads one peer and returns the messages it sent; Disconnected when it is gone."""
        return peer.receive()

    def remove(self, peer):
        self.peers.discard(peer)
        peer.close()

    def close(self):
        for peer in list(self.peers):
            self.remove(peer)
        self.listening.close()
        if self.path is not None:
            try:
                os.unlink(self.path)
            except OSError:
                pass


class Router(Listener):
    """Puts the sender's identity before each message, and sends to the peer that the first frame names."""

    socket_type = b"ROUTER"
    accepted = (b"DEALER", b"REQ", b"ROUTER")

    def __init__(self, transport, ip, port):
        super().__init__(transport, ip, port)
        self._by_identity = {}
        self._unnamed = 0

    def read(self, peer):
        was_ready = peer.ready
        messages = peer.receive()
        if peer.ready and not was_ready:
            self._name(peer)
        return [[peer.identity] + frames for frames in messages]

    def send(self, frames):
        """The peer that got the message, or None where nobody has that identity any more."""
        peer = self._by_identity.get(frames[0])
        if peer is not None:
            peer.send(frames[1:])
        return peer

    def remove(self, peer):
        if self._by_identity.get(peer.identity) is peer:
            del self._by_identity[peer.identity]
        super().remove(peer)

    def _name(self, peer):
        """A peer that comes back under its name takes over from its old connection."""
        if not peer.identity:
            self._unnamed += 1
            peer.identity = b"\0" + pack("!I", self._unnamed)
        self._by_identity[peer.identity] = peer


class Publisher(Listener):
    """Sends each message to every subscriber of its topic; reads nothing but subscriptions."""

    socket_type = b"PUB"
    accepted = (b"SUB", b"XSUB")

    def read(self, peer):
        for frames in peer.receive():
            command, topic = frames[0][:1], frames[0][1:]
            if command == b"\1":
                peer.subscribe(topic)
            elif command == b"\0":
                peer.subscriptions.discard(topic)
        return []

    def send(self, frames):
        """Queues the message and returns the peers that got it."""
        found = [peer for peer in self.peers if peer.ready and peer.subscribed(frames[0])]
        buffers = encode_message(frames) if found else ()
        for peer in found:
            peer.queue(buffers)
        return found


class Heartbeat(Router):
    """Echoes every message: the ROUTER form of REP, which keeps the envelope as it came."""

    socket_type = b"REP"
    accepted = (b"REQ", b"DEALER")


__all__ = ["Disconnected", "Heartbeat", "Publisher", "Router"]
