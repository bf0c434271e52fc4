import type { Kernel } from "@jupyterlab/services";
import type { MimeBundle } from "../output/model.ts";
import { unlessAborted } from "./call-queue.ts";

/** What may stand between `start` and `end` of the code (UTF-16 offsets), the kernel's best guess first. */
export interface Completion {
  matches: string[];
  start: number;
  end: number;
}

/** What the kernel knows of the name at the cursor; `data` is empty unless it was `found`. */
export interface Inspection {
  found: boolean;
  data: MimeBundle;
}

/** Whether code can be run as it stands; of `incomplete` code `indent` is what the next line should begin with. */
export interface Completeness {
  status: "complete" | "incomplete" | "invalid" | "unknown";
  indent: string;
}

/** Questions about code that run nothing of it. A kernel that is busy or gone answers with nothing. Cursors are UTF-16 offsets. */
export interface KernelQuestions {
  complete(code: string, cursor: number): Promise<Completion>;
  inspect(code: string, cursor: number): Promise<Inspection>;
  isComplete(code: string): Promise<Completeness>;
}

/** A person who waits for a completion gives up after this; a busy kernel answers only when its cell has ended. */
const ANSWER_LIMIT_MS = 2000;

/** Asks over a kernel's connection ("Messaging in Jupyter": Completion, Introspection, Code completeness). */
export function askKernel(connection: Kernel.IKernelConnection | undefined): KernelQuestions {
  return {
    async complete(code, cursor) {
      const reply = await answer(connection?.requestComplete({ code, cursor_pos: countPoints(code, cursor) }));
      const content = reply?.content;
      if (content?.status !== "ok") return { matches: [], start: cursor, end: cursor };
      const [start, end] = [content.cursor_start, content.cursor_end].map((points) => offsetOf(code, points));
      return { matches: content.matches, start: start as number, end: end as number };
    },
    async inspect(code, cursor) {
      const at = { code, cursor_pos: countPoints(code, cursor), detail_level: 0 as const };
      const content = (await answer(connection?.requestInspect(at)))?.content;
      return content?.status === "ok" && content.found
        ? { found: true, data: content.data }
        : { found: false, data: {} };
    },
    async isComplete(code) {
      const content = (await answer(connection?.requestIsComplete({ code })))?.content;
      const indent = content !== undefined && "indent" in content ? content.indent : "";
      return { status: (content?.status as Completeness["status"] | undefined) ?? "unknown", indent };
    },
  };
}

/** A request on a connection that is closed meanwhile is rejected: no answer either. */
async function answer<Reply>(request: Promise<Reply> | undefined): Promise<Reply | undefined> {
  if (request === undefined) return undefined;
  return await unlessAborted(request, AbortSignal.timeout(ANSWER_LIMIT_MS)).catch(() => undefined);
}

/** The protocol counts code points since version 5.2. */
function countPoints(code: string, offset: number): number {
  return [...code.slice(0, offset)].length;
}

function offsetOf(code: string, points: number): number {
  return [...code].slice(0, points).join("").length;
}
