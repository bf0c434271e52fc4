/** Wraps a sequence so that tmux hands it to the terminal outside (tmux(1), `allow-passthrough`). */
export function passThrough(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`;
}
