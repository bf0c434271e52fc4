import type { ArtifactStore } from "../output/artifacts.ts";
import type { Picture } from "../render/renderer.ts";

/** Pictures of notebooks as artifacts, so that a line can name a file to open; each picture once, however often it is shown. */
export class KeptPictures {
  readonly #store: ArtifactStore;
  #paths: Map<string, string> | undefined;

  constructor(store: ArtifactStore) {
    this.#store = store;
  }

  /** The file of a picture, or undefined where it cannot be saved: it is still named by its type and size then. */
  keep({ data, mimeType }: Picture, cwd: string): string | undefined {
    const title = `picture ${Bun.hash(data).toString(36)}`;
    this.#paths ??= new Map(this.#store.list().map((artifact) => [artifact.title ?? "", artifact.path]));
    const known = this.#paths.get(title);
    if (known !== undefined) return known;
    try {
      const { path } = this.#store.save(Buffer.from(data, "base64"), { mimeType, cwd, title });
      this.#paths.set(title, path);
      return path;
    } catch {
      return undefined;
    }
  }
}
