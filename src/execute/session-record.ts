import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import type { ArtifactFile } from "../output/artifact-file.ts";
import type { Artifact } from "../output/artifact-index.ts";
import type { ArtifactOrigin, ArtifactStore } from "../output/artifacts.ts";
import { ensurePrivateDirectory } from "../paths.ts";
import { type SessionRequest, sessionName } from "./kernel-session.ts";

/** The two places that code in a kernel reads a session's past outputs from. */
export interface SessionPlaces {
  /** A JSON file: name, cwd, kernel, artifacts. */
  PI_SESSION_FILE: string;
  /** The folder of the artifacts. */
  ARTIFACTS: string;
}

interface RecordedArtifact {
  id: string;
  path: string;
  mimeType: string;
}

/** The file names this many of the session's last artifacts. */
const MOST_ARTIFACTS = 1000;

/** The files of sessions: where they are, and what they hold. A host that sets the variables has its own places used. */
export class SessionRecords {
  readonly #written = new Map<string, { text: string; artifacts: RecordedArtifact[]; stamp: string }>();
  readonly #recorded = new Map<string, RecordedArtifact[]>();

  constructor(
    private readonly directory: string,
    private readonly artifacts: ArtifactStore,
  ) {}

  /** Makes the folders, but for the artifact folder of ours. Throws when the state directory cannot be written. */
  #makeFolders({ environment }: SessionRequest): void {
    const { PI_SESSION_FILE: file, ARTIFACTS: folder } = environment;
    if (!file) ensurePrivateDirectory(this.directory);
    if (folder) mkdirSync(folder, { recursive: true });
  }

  #pathsFor(request: SessionRequest): SessionPlaces {
    const name = sessionName(request);
    const { PI_SESSION_FILE: file, ARTIFACTS: folder } = request.environment;
    return {
      PI_SESSION_FILE: file || join(this.directory, `${Bun.hash(name).toString(36)}.json`),
      ARTIFACTS: folder || this.artifacts.pathFor(name),
    };
  }

  /**
   * What the session's kernel gets in its environment; without a place to write it runs all the same. The artifact folder of
   * ours is made by `begin`.
   */
  environmentFor(request: SessionRequest): Record<string, string> {
    try {
      this.#makeFolders(request);
      return { ...this.#pathsFor(request) };
    } catch (error) {
      logLine(`the session ${sessionName(request)} has no files: ${errorMessage(error)}`);
      return {};
    }
  }

  /** Opens an artifact of a session. Throws `artifact_write_failed`. */
  openArtifact(request: SessionRequest, mimeType: string): ArtifactFile {
    const file = this.artifacts.open(this.#originOf(request, mimeType));
    this.#record(request, { id: file.id, path: file.path, mimeType });
    return file;
  }

  /** Saves an artifact of a session, whole or not at all. Throws `artifact_write_failed`. */
  saveArtifact(request: SessionRequest, bytes: Uint8Array | string, mimeType: string): Artifact {
    const artifact = this.artifacts.save(bytes, this.#originOf(request, mimeType));
    this.#record(request, { id: artifact.id, path: artifact.path, mimeType });
    return artifact;
  }

  #originOf(request: SessionRequest, mimeType: string): ArtifactOrigin {
    this.#makeFolders(request);
    const { ARTIFACTS: folder } = this.#pathsFor(request);
    return { mimeType, session: sessionName(request), cwd: request.cwd, folder };
  }

  #record(request: SessionRequest, artifact: RecordedArtifact): void {
    const session = sessionName(request);
    const recorded = this.#recorded.get(session) ?? readRecorded(this.#pathsFor(request).PI_SESSION_FILE);
    this.#recorded.set(session, [...recorded, artifact].slice(-MOST_ARTIFACTS));
  }

  /** While the session's kernel starts: what its environment names is there for its first cell. */
  begin(request: SessionRequest, kernel: string): void {
    try {
      if (!request.environment.ARTIFACTS) this.artifacts.folderFor(sessionName(request));
    } catch (error) {
      logLine(`the session ${sessionName(request)} has no artifact folder: ${errorMessage(error)}`);
    }
    this.write(request, kernel);
  }

  /** Writes the session's file anew, whole or not at all; a host's own file is the host's to write. */
  write(request: SessionRequest, kernel: string): void {
    if (request.environment.PI_SESSION_FILE) return;
    try {
      const { PI_SESSION_FILE: path, ARTIFACTS: artifactFolder } = this.#pathsFor(request);
      const name = sessionName(request);
      const written = this.#written.get(path);
      const isOurs = written !== undefined && written.stamp === stampOf(path);
      const recorded = this.#recorded.get(name) ?? (isOurs ? written.artifacts : readRecorded(path));
      const artifacts = recorded.filter((artifact) => existsSync(artifact.path));
      const text = `${JSON.stringify({ name, cwd: request.cwd, kernel, artifactFolder, artifacts }, null, 1)}\n`;
      if (isOurs && written.text === text) return;
      ensurePrivateDirectory(this.directory);
      const part = `${path}.${process.pid}.part`;
      writeFileSync(part, text, { mode: 0o600 });
      renameSync(part, path);
      this.#written.set(path, { text, artifacts, stamp: stampOf(path) });
    } catch (error) {
      logLine(`the file of the session ${sessionName(request)} was not written: ${errorMessage(error)}`);
    }
  }
}

/** Changes with every version of a file. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return `${found?.ino} ${found?.mtimeNs}`;
}

/** What an earlier process has recorded of the session. */
function readRecorded(path: string): RecordedArtifact[] {
  try {
    const { artifacts } = JSON.parse(readFileSync(path, "utf8")) as { artifacts?: unknown };
    return Array.isArray(artifacts) ? artifacts.filter((artifact) => typeof artifact?.path === "string") : [];
  } catch {
    return [];
  }
}
