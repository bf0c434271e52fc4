import { constants, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors.ts";
import { ensurePrivateDirectory } from "../paths.ts";
import { ArtifactFile } from "./artifact-file.ts";
import { artifactNotFound, artifactWriteFailed } from "./errors.ts";

/** What is known of an artifact: where its bytes are and what made them. `createdAt` is in milliseconds. */
export interface Artifact {
  id: string;
  path: string;
  mimeType: string;
  createdAt: number;
  /** What made it, for a person: the session, the folder it works in, the cell's title. */
  session?: string;
  cwd?: string;
  title?: string;
  /** The bytes were removed to keep within the limits; the id is never given out again. */
  removed?: boolean;
}

/** What an artifact is made for. `folder` is the session's own; without it the store's common one is used. */
export interface ArtifactOrigin {
  mimeType: string;
  folder?: string;
  session?: string;
  cwd?: string;
  title?: string;
}

const EXTENSIONS: Record<string, string> = {
  "text/plain": "txt",
  "text/markdown": "md",
  "text/html": "html",
  "text/csv": "csv",
  "text/latex": "tex",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
};

/**
 * The artifacts of one user: `index/<id>.json` says what each is, its bytes lie in the folder of the session that made it.
 * An id is a number; an index entry is created exclusively, so that processes can never be given the same one.
 */
export class ArtifactStore {
  private readonly index: string;
  private lastId = 0;

  /** `directory` is the store's own, of this user alone. */
  constructor(private readonly directory: string) {
    this.index = join(directory, "index");
  }

  /** The folder of a session's artifacts, made when it is missing: what `ARTIFACTS` names in its kernel. */
  folderFor(session: string): string {
    const readable = session.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "");
    const folder = `${readable.slice(0, 40) || "session"}-${Bun.hash(session).toString(36)}`;
    ensurePrivateDirectory(this.directory);
    return ensurePrivateDirectory(join(this.directory, folder));
  }

  /** Begins an artifact that is written while it comes in. Throws `artifact_write_failed`. */
  open(origin: ArtifactOrigin): ArtifactFile {
    const artifact = this.claim(origin);
    try {
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const descriptor = openSync(artifact.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      return new ArtifactFile(artifact.id, artifact.path, descriptor, () => this.discard(artifact.id));
    } catch (error) {
      this.discard(artifact.id);
      throw artifactWriteFailed(artifact.path, error as Error);
    }
  }

  /** Stores bytes as one artifact, whole or not at all. Throws `artifact_write_failed`. */
  save(bytes: Uint8Array | string, origin: ArtifactOrigin): Artifact {
    const artifact = this.claim(origin);
    const part = `${artifact.path}.part`;
    try {
      writeFileSync(part, bytes, { mode: 0o600, flag: "wx" });
      renameSync(part, artifact.path);
      return artifact;
    } catch (error) {
      rmSync(part, { force: true });
      this.discard(artifact.id);
      throw artifactWriteFailed(artifact.path, error as Error);
    }
  }

  /** What is known of an artifact, by its id or its `artifact://` link. Throws `artifact_not_found`. */
  find(idOrLink: string): Artifact {
    const id = idOrLink.trim().replace(/^artifact:\/\//, "");
    const artifact = /^\d{1,15}$/.test(id) ? this.readEntry(String(Number(id))) : undefined;
    if (artifact === undefined || artifact.removed === true) throw artifactNotFound(idOrLink, artifact?.removed);
    return artifact;
  }

  /** The bytes of an artifact. Throws `artifact_not_found`. */
  async read(idOrLink: string): Promise<Uint8Array> {
    const artifact = this.find(idOrLink);
    try {
      return await Bun.file(artifact.path).bytes();
    } catch {
      throw artifactNotFound(idOrLink, true);
    }
  }

  /** All artifacts that are still there, oldest first. */
  list(): Artifact[] {
    const entries = this.listIds().map((id) => this.readEntry(String(id)));
    return entries.filter((entry) => entry !== undefined && entry.removed !== true) as Artifact[];
  }

  /** Removes an artifact's bytes; its id stays taken. */
  discard(id: string): void {
    const artifact = this.readEntry(id);
    if (artifact === undefined) return;
    try {
      rmSync(artifact.path, { force: true });
      writeFileSync(this.entryPath(id), JSON.stringify({ ...artifact, removed: true }), { mode: 0o600 });
    } catch {
      // The entry is left as it is: it names a file that is gone, which reads the same.
    }
  }

  private claim(origin: ArtifactOrigin): Artifact {
    const { folder = this.folderFor("common"), mimeType, ...made } = origin;
    ensurePrivateDirectory(this.directory);
    ensurePrivateDirectory(this.index);
    ensurePrivateDirectory(folder);
    if (this.lastId === 0) this.lastId = this.listIds().at(-1) ?? 0;
    for (;;) {
      const id = String(++this.lastId);
      const path = join(folder, `${id}.${EXTENSIONS[mimeType] ?? "bin"}`);
      const artifact: Artifact = { id, path, mimeType, createdAt: Date.now(), ...made };
      try {
        writeFileSync(this.entryPath(id), JSON.stringify(artifact), { mode: 0o600, flag: "wx" });
        return artifact;
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw artifactWriteFailed(this.entryPath(id), error as Error);
      }
    }
  }

  private entryPath(id: string): string {
    return join(this.index, `${id}.json`);
  }

  private readEntry(id: string): Artifact | undefined {
    try {
      return JSON.parse(readFileSync(this.entryPath(id), "utf8")) as Artifact;
    } catch {
      return undefined;
    }
  }

  private listIds(): number[] {
    try {
      const names = readdirSync(this.index).filter((name) => /^\d+\.json$/.test(name));
      return names.map((name) => Number.parseInt(name, 10)).sort((left, right) => left - right);
    } catch {
      return [];
    }
  }
}
