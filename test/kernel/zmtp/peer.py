"""A ZMTP peer made of pyzmq: binds a socket, tells where, then echoes (ROUTER, REP) or publishes (XPUB) as it is told.

Usage: peer.py <socket type> <endpoint> [JSON of socket options, and "delay" in seconds before an echo]
Lines on standard input, for XPUB: a JSON list of frames, each a text or a size in bytes.
"""
import json
import sys
import time

import zmq

kind, endpoint = sys.argv[1:3]
options = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
delay = options.pop("delay", 0)
context = zmq.Context()
socket = context.socket(getattr(zmq, kind))
for name, value in options.items():
    socket.setsockopt(getattr(zmq, name), value)
socket.bind(endpoint)


def tell(**fact):
    print(json.dumps(fact), flush=True)


def echo():
    while True:
        frames = socket.recv_multipart()
        time.sleep(delay)
        socket.send_multipart(frames)


def publish():
    poller = zmq.Poller()
    poller.register(socket, zmq.POLLIN)
    orders = open(0, "rb", buffering=0)
    poller.register(orders, zmq.POLLIN)
    while True:
        ready = dict(poller.poll())
        if socket in ready:
            tell(subscription=socket.recv().hex())
        if orders.fileno() in ready:
            frames = json.loads(orders.readline())
            socket.send_multipart([b"x" * frame if isinstance(frame, int) else frame.encode() for frame in frames])


tell(endpoint=socket.getsockopt(zmq.LAST_ENDPOINT).decode().rstrip("\0"))
publish() if kind == "XPUB" else echo()
