/** Watches a call's updates; `shown` resolves when its output holds `text`. */
export function showing(text: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = "";
  const onUpdate = (update: { content: { type: string; text?: string }[] }) => {
    seen += update.content.map((block) => block.text ?? "").join("");
    if (seen.includes(text)) resolve();
  };
  return { shown: promise, onUpdate: onUpdate as never };
}

/** A cell that prints `begun` and then waits until the file appears. */
export function waitFor(path: string): string {
  return `import os, time\nprint("begun", flush=True)\nwhile not os.path.exists(${JSON.stringify(path)}): time.sleep(0.01)`;
}
