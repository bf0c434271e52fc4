/** Below this many bytes a string of them is counted faster than words. */
const SMALL = 1 << 20;
const WORDS_A_CALL = 4096;
const TOP_BITS = 0x80808080 | 0;

/** How many control characters (below U+0020) there are. */
export function countControls(bytes: Buffer): number {
  if (bytes.length < SMALL) return bytes.toString("latin1").match(/[\0-\x1f]/g)?.length ?? 0;
  const head = -bytes.byteOffset & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + head, (bytes.length - head) >> 2);
  let count = countControls(bytes.subarray(0, head)) + countControls(bytes.subarray(head + words.length * 4));
  for (let at = 0; at < words.length; at += WORDS_A_CALL) {
    count += countControlsInWords(words, at, Math.min(words.length, at + WORDS_A_CALL));
  }
  return count;
}

/** A function of its own, called often, because the engine then compiles it best. */
function countControlsInWords(words: Int32Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    const word = words[at] as number;
    // The top bit of a byte stays set in the difference unless its lower bits are below 0x20.
    const found = ~(((word | TOP_BITS) - 0x20202020) | word) & TOP_BITS;
    if (found !== 0) count += ((found >>> 7) & 1) + ((found >>> 15) & 1) + ((found >>> 23) & 1) + (found >>> 31);
  }
  return count;
}
