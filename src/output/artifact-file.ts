import { closeSync, ftruncateSync, openSync, readSync, writevSync } from "node:fs";

const COPY_BYTES = 1_048_576;

/** An artifact that is written while it comes in. Its writer closes it; a process that dies leaves what was written. */
export class ArtifactFile {
  private position = 0;
  private open = true;

  constructor(
    readonly id: string,
    readonly path: string,
    private readonly descriptor: number,
    private readonly onAbandon: () => void,
  ) {}

  /** Adds bytes at the end; throws what the disk says. */
  append(parts: readonly Uint8Array[]): void {
    this.position += this.writeAt(parts, this.position);
  }

  /** Adds the first `length` bytes of another file, without having all of them in memory. */
  appendFile(path: string, length: number): void {
    const source = openSync(path, "r");
    try {
      const chunk = Buffer.allocUnsafe(Math.min(length, COPY_BYTES));
      for (let at = 0; at < length; ) {
        const count = readSync(source, chunk, 0, Math.min(chunk.length, length - at), at);
        if (count === 0) throw new Error(`${path} ends too early`);
        this.append([chunk.subarray(0, count)]);
        at += count;
      }
    } finally {
      closeSync(source);
    }
  }

  /** Makes the file what was appended and then `parts`, which the next `append` writes over. */
  complete(parts: readonly Uint8Array[]): void {
    const length = this.writeAt(parts, this.position);
    ftruncateSync(this.descriptor, this.position + length);
  }

  /** Forgets all that was written. */
  clear(): void {
    this.position = 0;
    ftruncateSync(this.descriptor, 0);
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    closeSync(this.descriptor);
  }

  /** Closes and removes it, because it cannot become whole. */
  abandon(): void {
    this.close();
    this.onAbandon();
  }

  private writeAt(parts: readonly Uint8Array[], start: number): number {
    let at = start;
    let rest = parts.filter((part) => part.length > 0);
    while (rest.length > 0) {
      const written = writevSync(this.descriptor, rest.slice(0, 512), at);
      at += written;
      rest = dropBytes(rest, written);
    }
    return at - start;
  }
}

/** The parts without their first `count` bytes: a write may take less than it was given. */
function dropBytes(parts: Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  let index = 0;
  while (index < parts.length && left >= (parts[index] as Uint8Array).length) {
    left -= (parts[index] as Uint8Array).length;
    index++;
  }
  const rest = parts.slice(index);
  if (left > 0) rest[0] = (rest[0] as Uint8Array).subarray(left);
  return rest;
}
