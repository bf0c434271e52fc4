"""A kernel that answers kernel_info_request and is odd in one way. Usage: odd-kernel.py <way> <connection file>

quiet: never says a word on iopub. wrong-key: signs with another key. closes: closes its sockets on the first execute_request
and lives on. replays: sends each reply twice. late-iopub: says its status only from the third question on.
"""
import json
import sys
import time

import zmq
from jupyter_client.session import Session

way, path = sys.argv[1:]
info = json.load(open(path))
context = zmq.Context()


def bind(kind, name):
    socket = context.socket(kind)
    separator = "-" if info["transport"] == "ipc" else ":"
    socket.bind(f"{info['transport']}://{info['ip']}{separator}{info[name + '_port']}")
    return socket


shell, control, stdin = (bind(zmq.ROUTER, name) for name in ("shell", "control", "stdin"))
iopub, heartbeat = bind(zmq.PUB, "iopub"), bind(zmq.REP, "hb")
session = Session(key=b"another key" if way == "wrong-key" else info["key"].encode())
reader = Session(key=info["key"].encode())
poller = zmq.Poller()
for socket in (shell, control):
    poller.register(socket, zmq.POLLIN)
questions = 0


def say(state, parent):
    if way != "quiet" and (way != "late-iopub" or questions >= 3):
        session.send(iopub, "status", {"execution_state": state}, parent=parent, ident=b"status")


while True:
    for socket, _ in poller.poll():
        identities, frames = reader.feed_identities(socket.recv_multipart())
        request = reader.deserialize(frames)
        questions += 1
        kind = request["header"]["msg_type"]
        if kind == "shutdown_request":
            sys.exit()
        if kind == "execute_request" and way == "closes":
            for each in (shell, control, stdin, iopub, heartbeat):
                each.close(0)
            time.sleep(1000)
        say("busy", request)
        content = {"status": "ok", "implementation": "odd", "questions": questions}
        reply = session.msg(kind.replace("request", "reply"), content, parent=request)
        frames = session.serialize(reply, ident=identities)
        for _ in range(2 if way == "replays" else 1):
            socket.send_multipart(frames)
        say("idle", request)
