/** A cell's own heading, and what stands for no output at all. */
const NO_NOTICE = /^(?:\[\d+\/\d+\].*|\(ok\)|\(no output\)|\[Output truncated: .*\]|)$/;

/**
 * The lines that a call's text has after the output of its last cell: that it timed out, was cancelled, asked for input, or
 * lost its kernel. The truncation has a notice of its own.
 */
export function readNotices(text: string, lastOutput: string): string[] {
  const output = lastOutput.trimEnd();
  const at = output === "" ? -1 : text.lastIndexOf(output);
  const rest = at < 0 ? (output === "" ? afterHeading(text) : "") : text.slice(at + output.length);
  return rest.split("\n").filter((line) => !NO_NOTICE.test(line.trim()));
}

function afterHeading(text: string): string {
  const heading = text.match(/[\s\S]*(?:^|\n)\[\d+\/\d+\][^\n]*\n?/)?.[0] ?? "";
  return text.slice(heading.length);
}
