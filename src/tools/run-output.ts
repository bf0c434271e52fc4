/** How much of a run's text is kept to be read on, in UTF-16 units; the whole is in the artifact that its result names. */
const KEPT_LENGTH = 1024 * 1024;

/** What was read: the new text, where to read on, and how much before it is no longer here. */
export interface RunText {
  text: string;
  cursor: number;
  missed: number;
}

/** The text of a run as it comes in. A cursor is a position in the whole text; memory is bounded however long that gets. */
export class RunOutput {
  private kept = "";
  private dropped = 0;

  /** The length of all that came in. */
  get length(): number {
    return this.dropped + this.kept.length;
  }

  append(text: string): void {
    this.kept += text;
    if (this.kept.length <= 2 * KEPT_LENGTH) return;
    const end = this.kept.slice(-KEPT_LENGTH).replace(/^[\uDC00-\uDFFF]/, "");
    this.dropped += this.kept.length - end.length;
    this.kept = end;
  }

  /** All that came in after `cursor`. */
  since(cursor: number): RunText {
    const missed = Math.max(0, this.dropped - cursor);
    const text = this.kept.slice(Math.max(0, cursor - this.dropped));
    return { text, cursor: Math.max(cursor, this.length), missed };
  }
}
