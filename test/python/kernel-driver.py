"""Drives one kernel with jupyter_client; a line of JSON in, a line of JSON out. The first line says what to start."""

import json
import os
import queue
import signal
import socket
import sys
import time
from pathlib import Path

import zmq
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpec


class Driver:
    def __init__(self, start):
        self.manager = KernelManager(transport=start["transport"])
        if start["transport"] == "ipc":
            self.manager.ip = str(Path(start["folder"], "socket"))
        self.manager._kernel_spec = KernelSpec(argv=start["argv"], display_name="bundled", language="python")
        began = time.perf_counter()
        self.folder = Path(start["folder"])
        with open(self.folder / "stderr", "wb") as stderr:
            environment = dict(os.environ, **start.get("env", {}))
            self.manager.start_kernel(cwd=start["folder"], env=environment, stderr=stderr)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=30)
        self.client.hb_channel.pause()  # each beat wakes the kernel, which could hide that nothing else does
        self.ready = time.perf_counter() - began
        self.earlier = []

    def do_execute(self, code, interruptWhen=None, interruptBy="signal", answers=(), timeout=15, **options):
        """Runs code to its reply and idle. `interruptWhen` is the text or type of the output that the interrupt waits for."""
        options.setdefault("allow_stdin", bool(answers))
        answers = list(answers)
        message_id = self.client.execute(code, **options)
        outputs, prompts, began, interrupted = [], [], time.perf_counter(), None
        idle = reply = None
        while idle is None or reply is None:
            if time.perf_counter() - began > timeout:
                raise TimeoutError("no end of %r; outputs so far: %r" % (code, outputs[-5:]))
            message = self.next_iopub(0.02)
            if message is not None:
                if message["parent_header"].get("msg_id") != message_id:
                    self.earlier.append(plain(message))
                elif message["msg_type"] == "status":
                    idle = message if message["content"]["execution_state"] == "idle" else None
                else:
                    outputs.append(plain(message))
                    if interruptWhen and interrupted is None and is_sign(message, interruptWhen):
                        interrupted = time.perf_counter()
                        self.do_interrupt(interruptBy)
            if reply is None:
                reply = self.next_of(self.client.shell_channel, message_id)
                if reply is not None and interrupted is not None:
                    interrupted = time.perf_counter() - interrupted
            asked = self.next_of(self.client.stdin_channel, message_id)
            if asked is not None:
                prompts.append(asked["content"])
                if answers:
                    self.client.input(answers.pop(0))
        return {
            "id": message_id,
            "reply": reply["content"],
            "outputs": outputs,
            "prompts": prompts,
            "interruptedAfter": interrupted,
        }

    def do_send(self, code, **options):
        """Sends a cell without waiting for it."""
        return self.client.execute(code, **options)

    def do_wait_for(self, id, type):
        """Waits for an iopub message of a cell that was sent."""
        message = self.client.get_iopub_msg(timeout=30)
        while message["msg_type"] != type or message["parent_header"].get("msg_id") != id:
            message = self.client.get_iopub_msg(timeout=30)

    def do_collect(self, ids):
        """The replies and iopub messages of cells that were sent."""
        replies, messages, idle = {}, [], set()
        while len(replies) < len(ids) or len(idle) < len(ids):
            message = self.client.get_iopub_msg(timeout=30) if len(idle) < len(ids) else None
            if message is not None:
                messages.append(plain(message))
                if message["content"].get("execution_state") == "idle":
                    idle.add(message["parent_header"].get("msg_id"))
            elif len(replies) < len(ids):
                reply = self.client.get_shell_msg(timeout=30)
                replies[reply["parent_header"]["msg_id"]] = reply["content"]
        return {"replies": [replies[one] for one in ids], "messages": messages}

    def do_late(self, until, timeout=30):
        """Waits until the text of messages outside of cells contains `until`; all of them are given."""
        began = time.perf_counter()
        while until not in "".join(message["content"].get("text", "") for message in self.earlier):
            if time.perf_counter() - began > timeout:
                raise TimeoutError("late output: %r" % self.earlier)
            message = self.next_iopub(0.1)
            if message is not None and message["msg_type"] != "status":
                self.earlier.append(plain(message))
        found, self.earlier = self.earlier, []
        return found

    def do_request(self, type, content=None, channel="shell"):
        """Any request; its reply's content, and the iopub messages up to idle."""
        message = self.client.session.msg(type, content or {})
        peer = self.client.shell_channel if channel == "shell" else self.client.control_channel
        peer.send(message)
        message_id = message["header"]["msg_id"]
        reply, outputs, idle = None, [], False
        expected = type.endswith("_request")
        while not idle or (expected and reply is None):
            found = self.next_iopub(0.02)
            if found is not None and found["parent_header"].get("msg_id") == message_id:
                idle = idle or found["content"].get("execution_state") == "idle"
                if found["msg_type"] != "status":
                    outputs.append(plain(found))
            if reply is None:
                reply = self.next_of(peer, message_id)
        return {"reply": reply and reply["content"], "outputs": outputs}

    def do_count(self, code):
        """Runs a cell and counts what it prints without keeping it."""
        message_id, characters, lines = self.client.execute(code), 0, 0
        while True:
            message = self.client.get_iopub_msg(timeout=30)
            content = message["content"]
            if message["parent_header"].get("msg_id") != message_id:
                continue
            characters += len(content.get("text", ""))
            lines += content.get("text", "").count("\n")
            if content.get("execution_state") == "idle":
                return {"characters": characters, "lines": lines}

    def do_dying(self, code):
        """Runs a cell that ends the kernel and gives the text that arrived."""
        self.client.execute(code)
        while self.exit_code() is None:
            time.sleep(0.01)
        text, message = "", self.next_iopub(0.2)
        while message is not None:
            text += message["content"].get("text", "")
            message = self.next_iopub(0.2)
        return {"text": text}

    def do_interrupt(self, by="signal"):
        if by == "signal":
            self.manager.interrupt_kernel()
        elif by == "process":
            os.kill(self.manager.provisioner.pid, signal.SIGINT)
        else:
            self.client.control_channel.send(self.client.session.msg("interrupt_request", {}))

    def do_process(self):
        """The kernel's process: id, exit code or None, time to be ready."""
        return {"pid": self.manager.provisioner.pid, "code": self.exit_code(), "ready": self.ready}

    def do_exit_code(self, timeout=10):
        """Waits for the kernel's end and gives its exit code."""
        began = time.perf_counter()
        while self.exit_code() is None:
            if time.perf_counter() - began > timeout:
                raise TimeoutError("the kernel is still there")
            time.sleep(0.002)
        return {"code": self.exit_code(), "after": time.perf_counter() - began}

    def do_shutdown(self, restart=False):
        message = self.client.session.msg("shutdown_request", {"restart": restart})
        self.client.control_channel.send(message)
        return {"reply": self.client.control_channel.get_msg(timeout=10)["content"]}

    def do_wait_for_file(self, name):
        while not (self.folder / name).exists():
            time.sleep(0.005)

    def do_stderr_until(self, text):
        """What the kernel's process has written to the stderr it was started with, once `text` is in it."""
        began = time.perf_counter()
        while text not in (self.folder / "stderr").read_text() and time.perf_counter() - began < 10:
            time.sleep(0.01)
        return {"text": (self.folder / "stderr").read_text()}

    def do_beat(self, text):
        """Sends one heartbeat and gives what came back."""
        peer = self.client.context.socket(zmq.REQ)
        peer.connect(self.client._make_url("hb"))
        peer.send(text.encode())
        answer = peer.recv().decode() if peer.poll(5000) else None
        peer.close(0)
        return answer

    def do_raw(self, code, times, corrupt):
        """Sends the very same frames several times, or with a wrong signature."""
        message = self.client.session.msg("execute_request", {"code": code, "silent": False})
        frames = self.client.session.serialize(message)
        if corrupt:
            frames[1] = b"0" * len(frames[1])
        for _ in range(times):
            self.client.shell_channel.socket.send_multipart(frames)

    def do_nonsense(self):
        """Connects and sends what no ZMTP peer would; the number of connections made."""
        port = self.manager.get_connection_info()["shell_port"]
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48)
        ready = b"\x04\x1a\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
        tries = [
            b"GET / HTTP/1.0\r\n\r\n" * 10,
            bytes(64),
            greeting[:20],
            greeting.replace(b"NULL", b"PLAI"),
            greeting + b"\x00\x01x",
            greeting + b"\x04\x00",
            greeting + b"\x06" + b"\xff" * 8,
            greeting + ready.replace(b"DEALER", b"SUBBED"),
            greeting + ready + b"\x00\x03abc",
            greeting + ready + b"\x01\x09<IDS|MSG>\x00\x01x",
            greeting + ready + b"\x02" + b"\x00\x00\x00\x00\x00\x00\xff\xff" + b"half",
        ]
        for data in tries:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(data)
                connection.settimeout(0.1)
                try:
                    while connection.recv(4096):
                        pass
                except OSError:
                    pass
        return len(tries)

    def exit_code(self):
        return self.manager.provisioner.process.poll()

    def next_iopub(self, timeout):
        try:
            return self.client.get_iopub_msg(timeout=timeout)
        except queue.Empty:
            return None

    def next_of(self, channel, message_id):
        try:
            message = channel.get_msg(timeout=0)
        except queue.Empty:
            return None
        return message if message["parent_header"].get("msg_id") == message_id else None

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def is_sign(message, wanted):
    """Whether a message is of this type, or a stream with this text."""
    return wanted in (message["msg_type"], message["content"].get("text", "").strip())


def plain(message):
    return {
        "type": message["msg_type"],
        "content": message["content"],
        "metadata": message["metadata"],
        "parent": message["parent_header"].get("msg_id"),
    }


def main():
    driver = Driver(json.loads(sys.stdin.readline()))
    print(json.dumps({"value": {"ready": driver.ready}}), flush=True)
    try:
        for line in sys.stdin:
            call = json.loads(line)
            try:
                answer = {"value": getattr(driver, "do_" + call.pop("do"))(**call)}
            except Exception as error:
                answer = {"error": "%s: %s" % (type(error).__name__, error)}
            print(json.dumps(answer), flush=True)
    finally:
        driver.close()


main()
