/** Smaller ones are collected in time. Bytes. */
const LARGE = 2 ** 16;

/**
 * Frees the memory of large bytes that nobody reads any more, if it is theirs alone: it lies outside the collector's heap, and
 * waits there for several times its size to come together.
 */
export function giveBack(bytes: Uint8Array): void {
  const memory = bytes.buffer as ArrayBuffer;
  if (bytes.length >= LARGE && bytes.length === memory.byteLength) memory.transfer(0);
}
