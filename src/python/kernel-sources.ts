import initSource from "./kernel/nuthatch_kernel/__init__.py" with { type: "text" };
import mainSource from "./kernel/nuthatch_kernel/__main__.py" with { type: "text" };
import controlSource from "./kernel/nuthatch_kernel/control.py" with { type: "text" };
import digestsSource from "./kernel/nuthatch_kernel/digests.py" with { type: "text" };
import displaySource from "./kernel/nuthatch_kernel/display.py" with { type: "text" };
import endingSource from "./kernel/nuthatch_kernel/ending.py" with { type: "text" };
import executeSource from "./kernel/nuthatch_kernel/execute.py" with { type: "text" };
import importsSource from "./kernel/nuthatch_kernel/imports.py" with { type: "text" };
import interruptsSource from "./kernel/nuthatch_kernel/interrupts.py" with { type: "text" };
import jsonTextSource from "./kernel/nuthatch_kernel/json_text.py" with { type: "text" };
import messagesSource from "./kernel/nuthatch_kernel/messages.py" with { type: "text" };
import outboxSource from "./kernel/nuthatch_kernel/outbox.py" with { type: "text" };
import reactorSource from "./kernel/nuthatch_kernel/reactor.py" with { type: "text" };
import shellSource from "./kernel/nuthatch_kernel/shell.py" with { type: "text" };
import socketsSource from "./kernel/nuthatch_kernel/sockets.py" with { type: "text" };
import streamsSource from "./kernel/nuthatch_kernel/streams.py" with { type: "text" };
import tracebacksSource from "./kernel/nuthatch_kernel/tracebacks.py" with { type: "text" };
import zmtpSource from "./kernel/nuthatch_kernel/zmtp.py" with { type: "text" };

/** The files of the bundled kernel's package, by name; a test compares the list with the folder. */
export const kernelSources: Record<string, string> = {
  "__init__.py": initSource,
  "__main__.py": mainSource,
  "control.py": controlSource,
  "digests.py": digestsSource,
  "display.py": displaySource,
  "ending.py": endingSource,
  "execute.py": executeSource,
  "imports.py": importsSource,
  "interrupts.py": interruptsSource,
  "json_text.py": jsonTextSource,
  "messages.py": messagesSource,
  "outbox.py": outboxSource,
  "reactor.py": reactorSource,
  "shell.py": shellSource,
  "sockets.py": socketsSource,
  "streams.py": streamsSource,
  "tracebacks.py": tracebacksSource,
  "zmtp.py": zmtpSource,
};
