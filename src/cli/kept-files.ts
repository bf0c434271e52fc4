import type { ArtifactStore } from "../output/artifacts.ts";
import type { OutputFile } from "../output/model.ts";

/** Parts of notebooks as artifacts, so that a line can name a file to open; each once, however often it is shown. */
export class KeptFiles {
  readonly #store: ArtifactStore;
  #paths: Map<string, string> | undefined;

  constructor(store: ArtifactStore) {
    this.#store = store;
  }

  /** The path of a file with this content, or undefined where it cannot be saved; it is still named by its type then. */
  keep({ content, mimeType, base64 }: OutputFile, cwd: string): string | undefined {
    const title = `part ${Bun.hash(content).toString(36)} of a notebook`;
    this.#paths ??= new Map(this.#store.list().map((artifact) => [artifact.title ?? "", artifact.path]));
    const known = this.#paths.get(title);
    if (known !== undefined) return known;
    try {
      const { path } = this.#store.save(base64 ? Buffer.from(content, "base64") : content, { mimeType, cwd, title });
      this.#paths.set(title, path);
      return path;
    } catch {
      return undefined;
    }
  }
}
