import { sanitizeText } from "../output/text-sanitizer.ts";
import type { ShownNotebook } from "../render/notebook/notebook-lines.ts";
import type { OutputRendering } from "../render/notebook/output-lines.ts";
import { readStoredOutputs, type StoredOutput } from "../render/notebook/stored-output.ts";

/** A notebook as data: each cell with its source and the text of its outputs, without base64. */
export function describeNotebook({ name, kernel, language, cells }: ShownNotebook, rendering: OutputRendering) {
  return {
    notebookPath: name,
    kernel: kernel ?? null,
    language: language ?? null,
    cells: [...cells].map(({ type, source, executionCount, outputs }, index) => ({
      index,
      type,
      source,
      executionCount,
      outputs: readStoredOutputs(outputs).map((output) => describeOutput(output, rendering)),
    })),
  };
}

function describeOutput(output: StoredOutput, { mime }: OutputRendering) {
  switch (output.kind) {
    case "stream":
      return { type: "stream", name: output.name, text: sanitizeText(output.text) };
    case "error":
      return { type: "error", name: output.name, value: output.value, text: sanitizeText(output.traceback) };
    case "bundle":
      return {
        type: "display",
        mimeTypes: Object.keys(output.data),
        text: sanitizeText(mime.capture(output.data, output.metadata).text ?? ""),
      };
    case "unknown":
      return { type: output.type };
  }
}
