import initSource from "./kernel/nuthatch_kernel/__init__.py" with { type: "text" };
import mainSource from "./kernel/nuthatch_kernel/__main__.py" with { type: "text" };
import asyncCellsSource from "./kernel/nuthatch_kernel/async_cells.py" with { type: "text" };
import captureSource from "./kernel/nuthatch_kernel/capture.py" with { type: "text" };
import capturedCellSource from "./kernel/nuthatch_kernel/captured_cell.py" with { type: "text" };
import completenessSource from "./kernel/nuthatch_kernel/completeness.py" with { type: "text" };
import completionSource from "./kernel/nuthatch_kernel/completion.py" with { type: "text" };
import controlSource from "./kernel/nuthatch_kernel/control.py" with { type: "text" };
import deliverySource from "./kernel/nuthatch_kernel/delivery.py" with { type: "text" };
import digestsSource from "./kernel/nuthatch_kernel/digests.py" with { type: "text" };
import displaySource from "./kernel/nuthatch_kernel/display.py" with { type: "text" };
import endingSource from "./kernel/nuthatch_kernel/ending.py" with { type: "text" };
import executeSource from "./kernel/nuthatch_kernel/execute.py" with { type: "text" };
import figuresSource from "./kernel/nuthatch_kernel/figures.py" with { type: "text" };
import forksSource from "./kernel/nuthatch_kernel/forks.py" with { type: "text" };
import historySource from "./kernel/nuthatch_kernel/history.py" with { type: "text" };
import hooksSource from "./kernel/nuthatch_kernel/hooks.py" with { type: "text" };
import importsSource from "./kernel/nuthatch_kernel/imports.py" with { type: "text" };
import inspectionSource from "./kernel/nuthatch_kernel/inspection.py" with { type: "text" };
import interruptsSource from "./kernel/nuthatch_kernel/interrupts.py" with { type: "text" };
import ipythonModulesSource from "./kernel/nuthatch_kernel/ipython_modules.py" with { type: "text" };
import jsonTextSource from "./kernel/nuthatch_kernel/json_text.py" with { type: "text" };
import magicsSource from "./kernel/nuthatch_kernel/magics.py" with { type: "text" };
import messagesSource from "./kernel/nuthatch_kernel/messages.py" with { type: "text" };
import mimeSource from "./kernel/nuthatch_kernel/mime.py" with { type: "text" };
import nativeSource from "./kernel/nuthatch_kernel/native.py" with { type: "text" };
import notebookFileSource from "./kernel/nuthatch_kernel/notebook_file.py" with { type: "text" };
import outboxSource from "./kernel/nuthatch_kernel/outbox.py" with { type: "text" };
import ownerSource from "./kernel/nuthatch_kernel/owner.py" with { type: "text" };
import pollingSource from "./kernel/nuthatch_kernel/polling.py" with { type: "text" };
import prettySource from "./kernel/nuthatch_kernel/pretty.py" with { type: "text" };
import processesSource from "./kernel/nuthatch_kernel/processes.py" with { type: "text" };
import reactorSource from "./kernel/nuthatch_kernel/reactor.py" with { type: "text" };
import relaySource from "./kernel/nuthatch_kernel/relay.py" with { type: "text" };
import relayStartSource from "./kernel/nuthatch_kernel/relay_start.py" with { type: "text" };
import richSource from "./kernel/nuthatch_kernel/rich.py" with { type: "text" };
import richMediaSource from "./kernel/nuthatch_kernel/rich_media.py" with { type: "text" };
import shellSource from "./kernel/nuthatch_kernel/shell.py" with { type: "text" };
import socketsSource from "./kernel/nuthatch_kernel/sockets.py" with { type: "text" };
import startCacheSource from "./kernel/nuthatch_kernel/start_cache.py" with { type: "text" };
import stdinSource from "./kernel/nuthatch_kernel/stdin.py" with { type: "text" };
import streamsSource from "./kernel/nuthatch_kernel/streams.py" with { type: "text" };
import threadsSource from "./kernel/nuthatch_kernel/threads.py" with { type: "text" };
import timingSource from "./kernel/nuthatch_kernel/timing.py" with { type: "text" };
import tracebacksSource from "./kernel/nuthatch_kernel/tracebacks.py" with { type: "text" };
import transformSource from "./kernel/nuthatch_kernel/transform.py" with { type: "text" };
import unraisableSource from "./kernel/nuthatch_kernel/unraisable.py" with { type: "text" };
import userShellSource from "./kernel/nuthatch_kernel/user_shell.py" with { type: "text" };
import userSignalsSource from "./kernel/nuthatch_kernel/user_signals.py" with { type: "text" };
import zmtpSource from "./kernel/nuthatch_kernel/zmtp.py" with { type: "text" };

/** The files of the bundled kernel's package, by name; a test compares the list with the folder. */
export const kernelSources: Record<string, string> = {
  "__init__.py": initSource,
  "__main__.py": mainSource,
  "async_cells.py": asyncCellsSource,
  "capture.py": captureSource,
  "captured_cell.py": capturedCellSource,
  "completeness.py": completenessSource,
  "completion.py": completionSource,
  "control.py": controlSource,
  "delivery.py": deliverySource,
  "digests.py": digestsSource,
  "display.py": displaySource,
  "ending.py": endingSource,
  "execute.py": executeSource,
  "figures.py": figuresSource,
  "forks.py": forksSource,
  "history.py": historySource,
  "hooks.py": hooksSource,
  "imports.py": importsSource,
  "inspection.py": inspectionSource,
  "interrupts.py": interruptsSource,
  "ipython_modules.py": ipythonModulesSource,
  "json_text.py": jsonTextSource,
  "magics.py": magicsSource,
  "messages.py": messagesSource,
  "mime.py": mimeSource,
  "native.py": nativeSource,
  "notebook_file.py": notebookFileSource,
  "outbox.py": outboxSource,
  "owner.py": ownerSource,
  "polling.py": pollingSource,
  "pretty.py": prettySource,
  "processes.py": processesSource,
  "reactor.py": reactorSource,
  "relay.py": relaySource,
  "relay_start.py": relayStartSource,
  "rich.py": richSource,
  "rich_media.py": richMediaSource,
  "shell.py": shellSource,
  "sockets.py": socketsSource,
  "start_cache.py": startCacheSource,
  "stdin.py": stdinSource,
  "streams.py": streamsSource,
  "threads.py": threadsSource,
  "timing.py": timingSource,
  "tracebacks.py": tracebacksSource,
  "transform.py": transformSource,
  "unraisable.py": unraisableSource,
  "user_shell.py": userShellSource,
  "user_signals.py": userSignalsSource,
  "zmtp.py": zmtpSource,
};
