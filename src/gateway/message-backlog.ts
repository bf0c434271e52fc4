// Messages that wait for a client that is away or slow, in order: the older in memory, the newer in a file once memory is
// used up. The file has no name any more, so nothing is left of it whatever happens. `clear` gives all of it back.

import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../errors.ts";
import type { KernelMessage } from "../kernel/message.ts";
import { logLine } from "../log.ts";
import { ensurePrivateDirectory } from "../paths.ts";
import { decodeMessage, encodeMessage } from "./wire.ts";

const MEMORY_BYTES = 8 * 1024 * 1024;
const FILE_BYTES = 2 ** 30;

export class MessageBacklog {
  readonly #folder: string;
  readonly #limits: { memory: number; file: number };
  #memory: Uint8Array[] = [];
  #memoryBytes = 0;
  #file: number | undefined;
  #readAt = 0;
  #writeAt = 0;

  /** `folder` takes the file, should there have to be one. */
  constructor(folder: string, limits = { memory: MEMORY_BYTES, file: FILE_BYTES }) {
    this.#folder = folder;
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#memory.length === 0 && this.#file === undefined;
  }

  /** False when the message cannot be kept: the limit is reached, or the disk refuses it. */
  add(message: KernelMessage): boolean {
    const bytes = encodeMessage(message, true) as Uint8Array;
    if (this.#file !== undefined || this.#memoryBytes + bytes.length > this.#limits.memory) return this.#append(bytes);
    this.#memory.push(bytes);
    this.#memoryBytes += bytes.length;
    return true;
  }

  /** Takes the oldest message out. */
  shift(): KernelMessage | undefined {
    const bytes = this.#memory.shift();
    if (bytes === undefined) return this.#readFile();
    this.#memoryBytes -= bytes.length;
    return decodeMessage(bytes, true);
  }

  clear(): void {
    this.#memory = [];
    this.#memoryBytes = 0;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#readAt = 0;
    this.#writeAt = 0;
  }

  /** A record is its length, 4 bytes, and a message. */
  #append(bytes: Uint8Array): boolean {
    if (this.#writeAt + bytes.length > this.#limits.file) return false;
    try {
      this.#file ??= openNameless(this.#folder);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      const record = Buffer.concat([length, bytes]);
      for (let done = 0; done < record.length; ) {
        done += writeSync(this.#file, record, done, record.length - done, this.#writeAt + done);
      }
      this.#writeAt += record.length;
      return true;
    } catch (error) {
      logLine(`messages for a slow client cannot be kept: ${errorMessage(error)}`);
      return false;
    }
  }

  #readFile(): KernelMessage | undefined {
    if (this.#file === undefined) return undefined;
    const length = readAll(this.#file, 4, this.#readAt).readUInt32LE();
    const message = decodeMessage(readAll(this.#file, length, this.#readAt + 4), true);
    this.#readAt += 4 + length;
    if (this.#readAt === this.#writeAt) this.clear();
    return message;
  }
}

function openNameless(folder: string): number {
  const path = join(ensurePrivateDirectory(folder), crypto.randomUUID());
  const file = openSync(path, "wx+", 0o600);
  rmSync(path);
  return file;
}

function readAll(file: number, length: number, position: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const read = readSync(file, bytes, done, length - done, position + done);
    if (read === 0) throw new RangeError("the backlog's file ends too early");
    done += read;
  }
  return bytes;
}
