"""One ZMTP 3 connection, the listening side (rfc.zeromq.org/spec/23 and /37; NULL mechanism).

States: greeting, handshake, ready, closed. The socket that accepted a peer owns it and closes it.
"""

from _collections import deque
from _struct import pack, unpack_from

MORE, LONG, COMMAND = 1, 2, 4
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL" + bytes(16) + bytes(1 + 31)
LARGEST_COMMAND = 1 << 16
LARGEST_FRAME = 1 << 31
READ_SIZE = 1 << 16  # bytes; more would be mapped and unmapped by the allocator at every read
JOINED_BELOW = 1 << 14  # smaller frames are joined to one buffer, larger ones are sent as they are


class Disconnected(Exception):
    """The peer closed, or broke the protocol; the message says which."""


class Peer:
    """A connection in its states; `receive` gives whole messages, `send` queues one and never blocks."""

    def __init__(self, connection, socket_type, accepted_types):
        self.connection = connection
        self.socket_type = socket_type
        self.accepted_types = accepted_types
        self.identity = b""
        self.ready = False
        self.greeted = False
        self.waiting = 0  # bytes queued and not yet taken by the operating system
        self.sent = 0  # bytes taken so far: tells a slow peer from a stuck one
        self._incoming = bytearray()  # the beginning of a frame, while the rest of it is on its way
        self._outgoing = deque()
        self._parts = []
        self.subscriptions = set()
        self.new_subscriptions = []
        connection.setblocking(False)
        self.queue([GREETING])

    def receive(self):
        """Reads what has arrived and returns the complete messages in it, each a list of frames."""
        messages = []
        while True:
            try:
                data = self.connection.recv(READ_SIZE)
            except (BlockingIOError, InterruptedError):
                break
            except OSError as error:
                raise Disconnected(str(error))
            if not data:
                raise Disconnected("closed")
            if self._incoming:
                self._incoming += data
                del self._incoming[: self._parse(self._incoming, messages)]
            else:
                self._incoming += data[self._parse(data, messages) :]
            if len(data) < READ_SIZE:
                break
        return messages

    def send(self, frames):
        """Queues one message; the frames are sent by `flush`."""
        self.queue(encode_message(frames))

    def queue(self, buffers):
        """Queues what `encode_message` made."""
        self._outgoing.extend(buffers)
        self.waiting += sum(map(len, buffers))

    def flush(self):
        """Gives the operating system what it takes; true when nothing is left."""
        outgoing = self._outgoing
        if len(outgoing) > 1 and self.waiting < JOINED_BELOW:
            joined = b"".join(outgoing)
            outgoing.clear()
            outgoing.append(joined)
        while outgoing:
            try:
                if len(outgoing) == 1:
                    taken = self.connection.send(outgoing[0])
                else:
                    taken = self.connection.sendmsg([outgoing[index] for index in range(min(len(outgoing), 64))])
            except (BlockingIOError, InterruptedError):
                return False
            except OSError as error:
                raise Disconnected(str(error))
            self._took(taken)
        return True

    def close(self):
        self.give_up()
        self.connection.close()

    def give_up(self):
        """The connection is broken: nothing more is sent, and reading will tell its owner."""
        self._outgoing.clear()
        self.waiting = 0
        self.ready = False

    def subscribed(self, topic):
        return topic.startswith(tuple(self.subscriptions))

    def _took(self, taken):
        outgoing = self._outgoing
        self.waiting -= taken
        self.sent += taken
        while taken:
            size = len(outgoing[0])
            if size > taken:
                outgoing[0] = memoryview(outgoing[0])[taken:]
                return
            outgoing.popleft()
            taken -= size

    def _parse(self, incoming, messages):
        """Takes the complete frames at the beginning, and returns how many bytes they were."""
        start, end = 0, len(incoming)
        if not self.greeted:
            if end < 64:
                if incoming[:1] not in (b"", b"\xff"):
                    raise Disconnected("not a ZMTP peer")
                return 0
            self._check_greeting(bytes(incoming[:64]))
            start = 64
        while end - start >= 2:
            flags = incoming[start]
            if flags & LONG:
                if end - start < 9:
                    break
                size, body = unpack_from("!Q", incoming, start + 1)[0], start + 9
            else:
                size, body = incoming[start + 1], start + 2
            if size > (LARGEST_FRAME if self.ready and not flags & COMMAND else LARGEST_COMMAND):
                raise Disconnected("a frame of %d bytes is over the limit" % size)
            if end - body < size:
                break
            self._take_frame(flags, bytes(incoming[body : body + size]), messages)
            start = body + size
        return start

    def _check_greeting(self, greeting):
        if greeting[0] != 0xFF or not greeting[9] & 1 or greeting[10] < 3:
            raise Disconnected("the peer does not speak ZMTP 3")
        if greeting[12:32].rstrip(b"\0") != b"NULL":
            raise Disconnected("the peer wants the mechanism %r" % greeting[12:32].rstrip(b"\0"))
        self.greeted = True
        self._send_command(b"READY", encode_properties({b"Socket-Type": self.socket_type, b"Identity": b""}))

    def _take_frame(self, flags, body, messages):
        if flags & COMMAND:
            self._take_command(body)
            return
        if not self.ready:
            raise Disconnected("a message before READY")
        self._parts.append(body)
        if not flags & MORE:
            messages.append(self._parts)
            self._parts = []

    def _take_command(self, body):
        name, rest = body[1 : 1 + body[0]], body[1 + body[0] :]
        if name == b"READY" and not self.ready:
            properties = decode_properties(rest)
            if properties.get(b"socket-type") not in self.accepted_types:
                self._send_command(b"ERROR", b"\x13Invalid socket type")
                raise Disconnected("a %r cannot talk to a %r" % (properties.get(b"socket-type"), self.socket_type))
            self.identity = properties.get(b"identity", b"")
            self.ready = True
        elif name == b"ERROR":
            raise Disconnected("the peer refused: %r" % rest[1:])
        elif name == b"PING":
            self._send_command(b"PONG", rest[2:18])
        elif name == b"SUBSCRIBE":
            self.subscribe(rest)
        elif name == b"CANCEL":
            self.subscriptions.discard(rest)

    def subscribe(self, topic):
        """Adds a topic; `new_subscriptions` holds it until the publisher has welcomed it."""
        self.subscriptions.add(topic)
        self.new_subscriptions.append(topic)

    def _send_command(self, name, body):
        body = pack("B", len(name)) + name + body
        self.queue([pack("!BB", COMMAND, len(body)) + body])


def encode_message(frames):
    """The bytes of one message, as a list of buffers: small frames together, large ones as they are."""
    buffers, small = [], bytearray()
    more = MORE
    left = len(frames)
    for frame in frames:
        left -= 1
        if not left:
            more = 0
        size = len(frame)
        if size < 256:
            small.append(more)
            small.append(size)
        else:
            small += pack("!BQ", more | LONG, size)
        if size < JOINED_BELOW:
            small += frame
        else:
            buffers += (bytes(small), frame)
            small = bytearray()
    if small:
        buffers.append(bytes(small))
    return buffers


def encode_properties(properties):
    """The metadata of READY: each a short name and a long value."""
    pairs = properties.items()
    return b"".join(pack("B", len(name)) + name + pack("!I", len(value)) + value for name, value in pairs)


def decode_properties(data):
    """Reads the metadata of READY; names are folded to lower case as the specification wants."""
    properties, start = {}, 0
    while start < len(data):
        name_end = start + 1 + data[start]
        if name_end + 4 > len(data):
            raise Disconnected("a broken READY")
        value_end = name_end + 4 + unpack_from("!I", data, name_end)[0]
        properties[data[start + 1 : name_end].lower()] = data[name_end + 4 : value_end]
        start = value_end
    return properties
