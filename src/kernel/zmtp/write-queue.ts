import type { Socket } from "bun";

/** Pieces up to this size are joined, so that a message costs one system call; larger ones are not copied. Bytes. */
const LARGEST_JOINED_PIECE = 64 * 1024;

/** What waits to be written, because one `write` of a socket may take only a part of it. */
export class WriteQueue {
  #pieces: Uint8Array[] = [];

  /** Adds pieces and writes what the socket takes. */
  push(pieces: Uint8Array[], socket: Socket | undefined): void {
    for (const piece of joinSmall(pieces)) this.#pieces.push(piece);
    if (socket) this.flush(socket);
  }

  /** Writes until the socket takes no more; its `drain` event calls again. */
  flush(socket: Socket): void {
    while (this.#pieces.length > 0) {
      const piece = this.#pieces[0]!;
      const written = Math.max(0, socket.write(piece));
      if (written < piece.length) {
        this.#pieces[0] = piece.subarray(written);
        return;
      }
      this.#pieces.shift();
    }
  }
}

function joinSmall(pieces: Uint8Array[]): Uint8Array[] {
  const joined: Uint8Array[] = [];
  let run: Uint8Array[] = [];
  const closeRun = () => {
    if (run.length > 0) joined.push(run.length === 1 ? run[0]! : Buffer.concat(run));
    run = [];
  };
  for (const piece of pieces) {
    if (piece.length <= LARGEST_JOINED_PIECE) run.push(piece);
    else {
      closeRun();
      joined.push(piece);
    }
  }
  closeRun();
  return joined;
}
