// The pictures and files of one call. Their bytes wait in memory while they are few and small, since an animation replaces
// them; older ones are in their artifact by then. `keep` ends it: all are saved, and what a model is shown is made.

import { errorMessage } from "../errors.ts";
import type { Artifact } from "./artifact-index.ts";
import { type FittedImage, fitImage, type ImageLimits } from "./fit-image.ts";
import type { Content, Output } from "./model.ts";
import { readPictureSize } from "./picture-size.ts";
import { formatBytes } from "./truncation-notice.ts";

/** How many pictures of one call a model is shown; the others are named. */
export const MAX_SHOWN_IMAGES = 5;
/** What may wait in memory, in bytes, and in pictures and files. */
const MOST_BYTES = 8 * 2 ** 20;
const MOST_FILES = MAX_SHOWN_IMAGES;

/** One picture of a call; `bytes` and size are those of the original, which the artifact holds. */
export interface KeptImage {
  mimeType: string;
  width: number | null;
  height: number | null;
  bytes: number;
  artifactId: string | null;
}

/**
 * What outputs come to at the end of a call: blocks for a model, facts for programs, lines that say what is kept where.
 * `shown` has the place among the images of each block.
 */
export interface KeptOutputs {
  blocks: Content[];
  images: KeptImage[];
  shown: number[];
  notices: string[];
}

/** Where artifacts go, and how large a picture may be. `save` may throw; what cannot be saved is shown and told all the same. */
export interface KeepOptions {
  limits: ImageLimits;
  save(bytes: Uint8Array | string, mimeType: string): Artifact;
  discard(id: string): void;
}

/** The bytes of a picture, or of the file that an output is kept as. */
export interface HeldFile {
  readonly type: string;
  readonly isPicture: boolean;
  readonly mimeType: string;
  readonly length: number;
  readonly size: { width: number | null; height: number | null };
  /** Undefined once they have left memory. */
  bytes: Uint8Array | undefined;
  saved?: SavedFile;
}

interface SavedFile {
  artifact?: Artifact;
  text: string;
}

export class OutputKeeper {
  readonly #options: KeepOptions;
  readonly #waiting = new Set<HeldFile>();

  constructor(options: KeepOptions) {
    this.#options = options;
  }

  /** Takes over the bytes of an output: its picture and its file, where it has them. */
  take(output: Output): HeldFile[] {
    const files = filesOf(output);
    for (const file of files) this.#waiting.add(file);
    this.#saveOldest();
    return files;
  }

  /** Forgets what is not shown any more, and its artifact, which nobody was told of. */
  drop(files: readonly HeldFile[]): void {
    for (const file of files) {
      this.#waiting.delete(file);
      file.bytes = undefined;
      if (file.saved?.artifact !== undefined) this.#options.discard(file.saved.artifact.id);
    }
  }

  /** Saves what there is by now, for somebody who watches the call, and gives its pictures. */
  saveSoFar(files: readonly HeldFile[]): KeptImage[] {
    for (const file of files) this.#save(file);
    return files.filter(({ isPicture }) => isPicture).map((picture) => this.#factsOf(picture));
  }

  /**
   * Saves all that is left as artifacts. The last {@link MAX_SHOWN_IMAGES} pictures become blocks, made smaller where the limits
   * want it. A notice names each of these that is not shown as it is, and each of the last files; one sums up what is before.
   */
  async keep(files: readonly HeldFile[]): Promise<KeptOutputs> {
    const kept: KeptOutputs = { blocks: [], images: [], shown: [], notices: [] };
    const pictures = files.filter(({ isPicture }) => isPicture);
    const others = files.filter(({ isPicture }) => !isPicture);
    kept.notices.push(...this.#sumUp(others.slice(0, -MOST_FILES), "file"));
    for (const file of others.slice(-MOST_FILES)) {
      kept.notices.push(`[${file.type}, ${file.mimeType}, ${formatBytes(file.length)}. ${this.#save(file).text}]`);
    }
    const earlier = pictures.slice(0, -MAX_SHOWN_IMAGES);
    kept.notices.push(...this.#sumUp(earlier, "picture"));
    for (const picture of earlier) kept.images.push(this.#factsOf(picture));
    for (const picture of pictures.slice(-MAX_SHOWN_IMAGES)) await this.#show(picture, kept);
    return kept;
  }

  #factsOf(picture: HeldFile): KeptImage {
    const { mimeType, length, size } = picture;
    return { mimeType, ...size, bytes: length, artifactId: this.#save(picture).artifact?.id ?? null };
  }

  async #show(picture: HeldFile, kept: KeptOutputs): Promise<void> {
    const { mimeType, length } = picture;
    const bytes = await this.#read(picture);
    const { width, height, shown, problem } = await this.#fit(picture, bytes);
    const { text } = this.#save(picture);
    kept.images.push({ ...this.#factsOf(picture), width, height });
    if (shown !== undefined) {
      kept.blocks.push({ type: "image", data: Buffer.from(shown.bytes).toString("base64"), mimeType: shown.mimeType });
      kept.shown.push(kept.images.length - 1);
    }
    if (shown !== undefined && shown.bytes === bytes) return;
    const size = width === null ? "" : `, ${width} x ${height}`;
    const state = shown ? `shown as ${shown.width} x ${shown.height}` : problem;
    kept.notices.push(`[${mimeType}${size}, ${formatBytes(length)}: ${state}. ${text}]`);
  }

  async #fit(picture: HeldFile, bytes: Uint8Array | undefined): Promise<FittedImage> {
    if (bytes === undefined) return { ...picture.size, problem: "not there any more to be shown" };
    return await fitImage(bytes, this.#options.limits);
  }

  async #read({ bytes, saved }: HeldFile): Promise<Uint8Array | undefined> {
    if (bytes !== undefined || saved?.artifact === undefined) return bytes;
    try {
      return await Bun.file(saved.artifact.path).bytes();
    } catch {
      return undefined;
    }
  }

  /** One line for all that none is said of by itself; the details name the artifact of each. */
  #sumUp(files: readonly HeldFile[], kind: string): string[] {
    if (files.length === 0) return [];
    const saved = files.map((file) => this.#save(file));
    const ids = saved.map(({ artifact }) => artifact?.id);
    const where =
      saved.find(({ artifact }) => artifact === undefined)?.text ??
      (files.length === 1 ? saved[0]?.text : `From artifact://${ids[0]} to artifact://${ids.at(-1)}`);
    const count = `${files.length} more ${kind}${files.length === 1 ? "" : "s"}`;
    const bytes = files.reduce((sum, { length }) => sum + length, 0);
    return [`[${count} before these, ${formatBytes(bytes)}: not shown. ${where}]`];
  }

  /** What cannot be saved waits for as long as it is among the last ones. */
  #saveOldest(): void {
    let bytes = 0;
    for (const file of this.#waiting) bytes += file.length;
    for (const file of this.#waiting) {
      const isTooMany = this.#waiting.size > MOST_FILES;
      if (!isTooMany && bytes <= MOST_BYTES) return;
      if (this.#save(file).artifact === undefined && !isTooMany) continue;
      this.#waiting.delete(file);
      file.bytes = undefined;
      bytes -= file.length;
    }
  }

  #save(file: HeldFile): SavedFile {
    file.saved ??= this.#trySave(file);
    return file.saved;
  }

  #trySave({ bytes, mimeType }: HeldFile): SavedFile {
    try {
      const artifact = this.#options.save(bytes ?? "", mimeType);
      return { artifact, text: `All of it: artifact://${artifact.id} (nuthatch artifact ${artifact.id})` };
    } catch (error) {
      return { text: `It could not be saved: ${errorMessage(error)}` };
    }
  }
}

function filesOf({ type, data, mimeType = "image/png", file }: Output): HeldFile[] {
  const files: HeldFile[] = [];
  if (file !== undefined) files.push(makeFile(type, file.mimeType, decode(file.content, file.base64 === true)));
  if (type !== "image" || typeof data !== "string") return files;
  const bytes = decode(data, true);
  const size = readPictureSize(bytes) ?? { width: null, height: null };
  return [...files, { ...makeFile(type, mimeType, bytes), isPicture: true, size }];
}

function makeFile(type: string, mimeType: string, bytes: Uint8Array): HeldFile {
  return { type, isPicture: false, mimeType, length: bytes.length, size: { width: null, height: null }, bytes };
}

function decode(content: string, isBase64: boolean): Uint8Array {
  return isBase64 ? Buffer.from(content, "base64") : Buffer.from(content);
}
