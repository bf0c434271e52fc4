/** Watches a call's updates; `shown` resolves when its output holds the text or matches, `text` is all of it so far. */
export function showing(wanted: string | RegExp) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = "";
  const onUpdate = (update: { content: { type: string; text?: string }[] }) => {
    seen += update.content.map((block) => block.text ?? "").join("");
    if (typeof wanted === "string" ? seen.includes(wanted) : wanted.test(seen)) resolve();
  };
  return { shown: promise, text: () => seen, onUpdate: onUpdate as never };
}

/** A cell that prints `begun` and then waits until the file appears. */
export function waitFor(path: string): string {
  return `import os, time\nprint("begun", flush=True)\nwhile not os.path.exists(${JSON.stringify(path)}): time.sleep(0.01)`;
}
