import type { ToolUpdate } from "../tools/tool.ts";

/** At most this long between two signs of life, and at least this long between two reports of output. */
const HEARTBEAT_MS = 5000;
const OUTPUT_INTERVAL_MS = 100;
/** What a report shows of the new output; the result holds all of it. */
const MAX_MESSAGE_LENGTH = 1000;

/** The parameters of a progress notification beside its token; `progress` is seconds and always grows ("Progress"). */
export interface Progress {
  progress: number;
  message: string;
}

/**
 * Reports a running call to the host: new output as it comes, and a sign of life every 5 s without any. One report is under
 * way at a time, so that a slow host gets fewer and larger ones. `stop` before the result is sent.
 */
export class ProgressReporter {
  private readonly startedAt = performance.now();
  private pending = "";
  private details: ToolUpdate["details"] = {};
  private last = 0;
  private reportedAt = this.startedAt;
  private sending = false;
  private stopped = false;
  private timer: Timer;

  constructor(private readonly send: (progress: Progress) => Promise<void>) {
    this.timer = setTimeout(() => this.report(), HEARTBEAT_MS);
  }

  update(update: ToolUpdate): void {
    this.details = update.details;
    const text = update.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]\n`)).join("");
    if (text === "") return;
    const idle = this.pending === "";
    this.pending = lastPart(this.pending + text);
    if (idle && !this.sending) this.schedule(OUTPUT_INTERVAL_MS);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private schedule(interval: number): void {
    clearTimeout(this.timer);
    const wait = this.reportedAt + interval - performance.now();
    if (!this.stopped) this.timer = setTimeout(() => this.report(), Math.max(0, wait));
  }

  private report(): void {
    const seconds = (performance.now() - this.startedAt) / 1000;
    this.last = Math.max(this.last + 0.001, Number(seconds.toFixed(3)));
    const message = this.pending.trim() || `running${whichCell(this.details)} for ${Math.round(seconds)} s`;
    this.pending = "";
    this.reportedAt = performance.now();
    this.sending = true;
    const done = () => {
      this.sending = false;
      this.schedule(this.pending === "" ? HEARTBEAT_MS : OUTPUT_INTERVAL_MS);
    };
    this.send({ progress: this.last, message }).then(done, () => this.stop());
  }
}

/** Of several cells, the one that runs. The updates of a notebook's run hold only the cells that have changed. */
function whichCell({ cells, notebookPath }: ToolUpdate["details"]): string {
  if (!Array.isArray(cells) || (cells.length < 2 && notebookPath === undefined)) return "";
  const running = cells.findIndex((cell) => cell.status === "running");
  if (running < 0) return "";
  return notebookPath === undefined ? ` cell ${running + 1} of ${cells.length}` : ` cell ${cells[running].index}`;
}

/** The end of a text, not cut inside a surrogate pair. */
function lastPart(text: string): string {
  return text.slice(-MAX_MESSAGE_LENGTH).replace(/^[\uDC00-\uDFFF]/, "");
}
