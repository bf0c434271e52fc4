/** Reads a sixel sequence back into pixels (`undefined` where nothing was painted), to check the encoder against. */
export function decodeSixel(sequence: string): { width: number; height: number; pixels: (string | undefined)[] } {
  const body = /^\x1bP0;1;0q"1;1;(\d+);(\d+)([\s\S]*)\x1b\\$/.exec(sequence);
  if (body === null) throw new Error("no sixel sequence");
  const [width, height] = [Number(body[1]), Number(body[2])];
  const pixels: (string | undefined)[] = Array(width * height).fill(undefined);
  const palette = new Map<number, string>();
  let [x, top, color] = [0, 0, 0];
  for (const [token] of (body[3] as string).matchAll(/#\d+(?:;2;\d+;\d+;\d+)?|!\d+.|[$\-?-~]/g)) {
    const define = /^#(\d+)(?:;2;(\d+);(\d+);(\d+))?$/.exec(token);
    if (define !== null) {
      color = Number(define[1]);
      if (define[2] !== undefined)
        palette.set(
          color,
          define
            .slice(2)
            .map((part) => Math.round((Number(part) * 255) / 100))
            .join(),
        );
    } else if (token === "$") x = 0;
    else if (token === "-") [x, top] = [0, top + 6];
    else {
      const count = token.startsWith("!") ? Number.parseInt(token.slice(1), 10) : 1;
      const bits = token.charCodeAt(token.length - 1) - 0x3f;
      for (let step = 0; step < count; step++, x++) {
        for (let row = 0; row < 6; row++) if (bits & (1 << row)) pixels[(top + row) * width + x] = palette.get(color);
      }
    }
  }
  return { width, height, pixels };
}
