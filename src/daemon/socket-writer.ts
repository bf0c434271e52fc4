/** What is needed of a Bun socket: `write` may take only a part, or answer -1 when it is closed. */
export interface ByteSocket {
  write(bytes: Uint8Array): number;
  end(): void;
}

/** Writes lines to a socket in order and keeps what it did not take until the socket's `drain` event calls `flush`. */
export class SocketWriter {
  private queue: Uint8Array[] = [];
  private ending = false;
  private waiting = 0;

  constructor(private readonly socket: ByteSocket) {}

  /** Bytes that the other side has not taken yet. */
  get queuedBytes(): number {
    return this.waiting;
  }

  write(line: string): void {
    if (this.ending) return;
    const bytes = new TextEncoder().encode(line);
    this.queue.push(bytes);
    this.waiting += bytes.length;
    if (this.queue.length === 1) this.flush();
  }

  flush(): void {
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      const taken = Math.max(0, this.socket.write(next));
      this.waiting -= taken;
      if (taken < next.length) {
        this.queue[0] = next.subarray(taken);
        return;
      }
      this.queue.shift();
    }
    if (this.ending) this.socket.end();
  }

  /** Closes the socket once everything is written; later writes are dropped. */
  end(): void {
    if (this.ending) return;
    this.ending = true;
    if (this.queue.length === 0) this.socket.end();
  }
}
