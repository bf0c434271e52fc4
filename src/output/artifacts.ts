import { closeSync, constants, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivateDirectory } from "../paths.ts";
import { ArtifactFile } from "./artifact-file.ts";
import { type Artifact, ArtifactIndex } from "./artifact-index.ts";
import { artifactNotFound, artifactWriteFailed } from "./errors.ts";
import { type ArtifactLimits, findExpired } from "./expired-artifacts.ts";

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

const PIECE_BYTES = 1_048_576;
/** How often the limits are looked after; the time of the last look is that of a file, for all processes. */
const PRUNE_INTERVAL_MS = 3_600_000;
/** How long an id that was removed can still say so. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;

/**
 * The artifacts of one user: `index/<id>.json` says what each is, its bytes lie in the folder of the session that made it.
 * With limits, what is beyond them goes when a new artifact comes.
 */
export class ArtifactStore {
  private readonly index: ArtifactIndex;

  /** `directory` is the store's own, of this user alone. */
  constructor(
    private readonly directory: string,
    private readonly limits?: ArtifactLimits,
  ) {
    this.index = new ArtifactIndex(join(directory, "index"));
  }

  /** The folder of a session's artifacts, made when it is missing: what `ARTIFACTS` names in its kernel. */
  folderFor(session: string): string {
    ensurePrivateDirectory(this.directory);
    return ensurePrivateDirectory(this.pathFor(session));
  }

  /** Where that folder is or will be. */
  pathFor(session: string): string {
    const readable = session.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "");
    return join(this.directory, `${readable.slice(0, 40) || "session"}-${Bun.hash(session).toString(36)}`);
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
    const artifact = /^\d{1,15}$/.test(id) ? this.index.read(String(Number(id))) : undefined;
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

  /** The same in pieces, so that one of any size can be passed on. Throws `artifact_not_found` at the first. */
  *readPieces(idOrLink: string): Generator<Uint8Array> {
    const artifact = this.find(idOrLink);
    let descriptor: number;
    try {
      descriptor = openSync(artifact.path, "r");
    } catch {
      throw artifactNotFound(idOrLink, true);
    }
    try {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      for (let length = readSync(descriptor, piece); length > 0; length = readSync(descriptor, piece)) {
        yield piece.subarray(0, length);
      }
    } finally {
      closeSync(descriptor);
    }
  }

  /** All artifacts that are still there, oldest first. */
  list(): Artifact[] {
    const entries = this.index.listIds().map((id) => this.index.read(String(id)));
    return entries.filter((entry) => entry !== undefined && entry.removed !== true) as Artifact[];
  }

  /** Removes an artifact's bytes; its id stays taken. */
  discard(id: string): void {
    const artifact = this.index.read(id);
    if (artifact === undefined) return;
    try {
      rmSync(artifact.path, { force: true });
      rmSync(`${artifact.path}.part`, { force: true });
    } catch {
      // A folder that cannot be written any more keeps its file.
    }
    this.index.markRemoved(artifact);
  }

  /** Removes what is beyond the limits of age and size, oldest first. */
  prune(limits: ArtifactLimits): void {
    for (const { id } of findExpired(this.list(), limits)) this.discard(id);
    this.index.forgetRemoved(Date.now() - REMEMBERED_MS);
  }

  private claim(origin: ArtifactOrigin): Artifact {
    const { folder = this.folderFor("common"), mimeType, ...made } = origin;
    ensurePrivateDirectory(this.directory);
    ensurePrivateDirectory(folder);
    this.pruneSometimes();
    const extension = extensionOf(mimeType);
    return this.index.create((id) => ({
      id,
      path: join(folder, `${id}.${extension}`),
      mimeType,
      createdAt: Date.now(),
      ...made,
    }));
  }

  private pruneSometimes(): void {
    if (this.limits === undefined) return;
    const stamp = join(this.directory, "pruned");
    const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.abs(Date.now() - last) < PRUNE_INTERVAL_MS) return;
    writeFileSync(stamp, "", { mode: 0o600 });
    this.prune(this.limits);
  }
}

function extensionOf(mimeType: string): string {
  const [, suffix] = /\+(json|xml)$/.exec(mimeType) ?? [];
  return EXTENSIONS[mimeType] ?? suffix ?? (mimeType.startsWith("text/") ? "txt" : "bin");
}
