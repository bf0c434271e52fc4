const BLOCK = 1 << 20;

/** The revision of a file: a hash of its bytes, whichever pieces they come in. 16 hexadecimal digits. */
export function revisionOf(pieces: readonly Buffer[]): string {
  let hash = 0n;
  for (const block of blocks(pieces)) hash = Bun.hash.xxHash3(block, hash);
  return hash.toString(16).padStart(16, "0");
}

/** Cuts the pieces into blocks of one size, copying only where a block takes from several pieces. */
function* blocks(pieces: readonly Buffer[]): Generator<Buffer> {
  const mixed = Buffer.allocUnsafe(Math.min(BLOCK, totalLength(pieces)));
  let filled = 0;
  for (const piece of pieces) {
    let at = 0;
    while (at < piece.length) {
      if (filled === 0 && piece.length - at >= BLOCK) {
        yield piece.subarray(at, at + BLOCK);
        at += BLOCK;
        continue;
      }
      const taken = piece.copy(mixed, filled, at, Math.min(piece.length, at + BLOCK - filled));
      filled += taken;
      at += taken;
      if (filled === BLOCK) {
        yield mixed;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield mixed.subarray(0, filled);
}

/** The length of all pieces together, in bytes. */
export function totalLength(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
