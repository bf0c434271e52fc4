import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors.ts";
import { ensurePrivateDirectory } from "../paths.ts";
import { artifactWriteFailed } from "./errors.ts";

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

/**
 * One file an artifact, `<id>.json`. Ids are numbers that count up; an entry is created exclusively, so that two processes can
 * never be given the same one, and the entry of the highest id is never deleted, so that none is given out twice.
 */
export class ArtifactIndex {
  private lastId = 0;

  constructor(private readonly directory: string) {}

  /** The ids of all entries, lowest first, those of removed artifacts as well. */
  listIds(): number[] {
    try {
      const names = readdirSync(this.directory).filter((name) => /^\d+\.json$/.test(name));
      return names.map((name) => Number.parseInt(name, 10)).sort((left, right) => left - right);
    } catch {
      return [];
    }
  }

  /** An entry, or undefined where there is none or its writer has only begun. */
  read(id: string): Artifact | undefined {
    try {
      return JSON.parse(readFileSync(this.pathOf(id), "utf8")) as Artifact;
    } catch {
      return undefined;
    }
  }

  /** Makes an entry under a fresh id. Throws `artifact_write_failed`. */
  create(describe: (id: string) => Artifact): Artifact {
    ensurePrivateDirectory(this.directory);
    if (this.lastId === 0) this.lastId = this.listIds().at(-1) ?? 0;
    for (;;) {
      const artifact = describe(String(++this.lastId));
      const path = this.pathOf(artifact.id);
      try {
        writeFileSync(path, JSON.stringify(artifact), { mode: 0o600, flag: "wx" });
        return artifact;
      } catch (error) {
        if (errorCode(error) === "EEXIST") continue;
        rmSync(path, { force: true });
        throw artifactWriteFailed(path, error as Error);
      }
    }
  }

  /** Marks an artifact as removed; its id stays taken. */
  markRemoved(artifact: Artifact): void {
    const path = this.pathOf(artifact.id);
    try {
      writeFileSync(`${path}.part`, JSON.stringify({ ...artifact, removed: true }), { mode: 0o600 });
      renameSync(`${path}.part`, path);
    } catch {
      // The entry stays as it was: it names a file that is gone, which reads the same.
    }
  }

  /** Deletes the entries of removed artifacts that are older than `before` milliseconds; never that of the highest id. */
  forgetRemoved(before: number): void {
    for (const id of this.listIds().slice(0, -1)) {
      const entry = this.read(String(id));
      if (entry?.removed === true && entry.createdAt < before) rmSync(this.pathOf(String(id)), { force: true });
    }
  }

  private pathOf(id: string): string {
    return join(this.directory, `${id}.json`);
  }
}
