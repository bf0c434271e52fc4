"""%%capture: the output of one cell, kept."""

import builtins
import sys


class CapturedOutput:
    """What a cell printed and displayed; `show()` says it again."""

    def __init__(self):
        self._texts = {"stdout": [], "stderr": []}
        self._messages = []

    @property
    def stdout(self):
        return "".join(self._texts["stdout"])

    @property
    def stderr(self):
        return "".join(self._texts["stderr"])

    @property
    def outputs(self):
        return [RichOutput(content["data"], content["metadata"]) for _, content in self._messages]

    def __str__(self):
        return self.stdout

    def __call__(self):
        self.show()

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for output in self.outputs:
            output.display()

    def add_text(self, name, text):
        self._texts[name].append(text)

    def writer(self, name, outbox):
        """A stream's `write` that keeps its text here, behind what has come through the file descriptors."""

        def write(text):
            outbox.collect()
            self._texts[name].append(text)
            return len(text)

        return write

    def add_message(self, msg_type, content):
        self._messages.append((msg_type, content))


class RichOutput:
    """One displayed bundle."""

    def __init__(self, data, metadata):
        self.data, self.metadata = data, metadata

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.data, self.metadata

    def display(self):
        builtins.display(self)


def capture_cell(interpreter, source, options):
    """Runs a cell with its output turned aside, text of C code and child processes too."""
    outbox, kept = interpreter.outbox, CapturedOutput()
    shown = {name for name in ("stdout", "stderr", "display") if "--no-" + name in options}
    add_text, publish = outbox.add_text, outbox.publish
    streams = (("stdout", sys.stdout), ("stderr", sys.stderr))
    turned = [(stream, stream.write) for name, stream in streams if name not in shown]

    def keep_text(name, text):
        (add_text if name in shown else kept.add_text)(name, text)

    def keep_message(msg_type, content, *rest, **named):
        if "display" in shown or msg_type not in ("display_data", "execute_result", "update_display_data"):
            publish(msg_type, content, *rest, **named)
        else:
            kept.add_message(msg_type, content)

    interpreter.capture.end_cell()
    outbox.add_text, outbox.publish = keep_text, keep_message
    for name, stream in streams:
        if name not in shown:
            stream.write = kept.writer(name, outbox)
    try:
        interpreter.run_source(source, show_result=True)
        interpreter.capture.end_cell()
    finally:
        outbox.add_text, outbox.publish = add_text, publish
        for stream, write in turned:
            stream.write = write
    return kept
