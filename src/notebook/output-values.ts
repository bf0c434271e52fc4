/** A string is split after each of these, as Python's `splitlines` does, because nbformat stores outputs so. */
const LINE_ENDS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/** Outputs in the form in which nbformat stores them: multi-line text as lists of lines, no `transient` data. */
export function storedOutputs(outputs: readonly unknown[]): unknown[] {
  return outputs.map((output) => {
    if (typeof output !== "object" || output === null) return output;
    const { transient: _, ...stored } = output as Record<string, unknown>;
    if (stored.output_type === "stream") return { ...stored, text: splitText(stored.text) };
    if (typeof stored.data === "object" && stored.data !== null) return { ...stored, data: splitBundle(stored.data) };
    return stored;
  });
}

function splitBundle(bundle: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(bundle).map(([mime, value]) => [mime, isText(mime) ? splitText(value) : value]),
  );
}

function isText(mime: string): boolean {
  return mime.startsWith("text/") || mime === "image/svg+xml" || mime === "application/javascript";
}

/** Text that came as a list is joined first, so that the same text is always stored alike. */
function splitText(value: unknown): unknown {
  const isLines = Array.isArray(value) && value.every((line) => typeof line === "string");
  const text = isLines ? value.join("") : value;
  if (typeof text !== "string") return value;
  const lines: string[] = [];
  let start = 0;
  for (const found of text.matchAll(LINE_ENDS)) {
    const end = found.index + found[0].length;
    lines.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}
