import type { Invocation } from "./command.ts";
import type { WatchedCall } from "./watch-call.ts";

/** A call of the `python` tool on the terminal of a person; undefined where standard output is none. */
export async function watchPython(
  invocation: Invocation,
  call: { cells: { code: string; title?: string }[] },
): Promise<WatchedCall | undefined> {
  if (invocation.json || !process.stdout.isTTY) return undefined;
  const { openTerminal } = await import("./open-terminal.ts");
  const terminal = await openTerminal(invocation);
  if (!terminal.interactive) return undefined;
  const { loadOutputRendering } = await import("./output-rendering.ts");
  const { PythonView } = await import("../render/tools/python.ts");
  const { WatchedCall } = await import("./watch-call.ts");
  const { renderers } = await loadOutputRendering(invocation);
  return new WatchedCall(new PythonView(call, { registry: renderers }), terminal, invocation);
}
