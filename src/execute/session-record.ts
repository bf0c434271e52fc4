import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Artifact, ArtifactStore } from "../output/artifacts.ts";
import { ensurePrivateDirectory } from "../paths.ts";
import { type SessionRequest, sessionName } from "./kernel-session.ts";

/** The two places that code in a kernel reads a session's past outputs from. */
export interface SessionPlaces {
  /** A JSON file: name, cwd, kernel, artifacts. */
  PI_SESSION_FILE: string;
  /** The folder of the artifacts. */
  ARTIFACTS: string;
}

/** The files of sessions: where they are, and what they hold. A host that sets the variables has its own places used. */
export class SessionRecords {
  constructor(
    private readonly directory: string,
    private readonly artifacts: ArtifactStore,
  ) {}

  /** Makes the folders. Throws when the state directory cannot be written. */
  placesFor(request: SessionRequest): SessionPlaces {
    const name = sessionName(request);
    const { PI_SESSION_FILE: file, ARTIFACTS: folder } = request.environment;
    const places = {
      PI_SESSION_FILE: file || join(this.directory, `${Bun.hash(name).toString(36)}.json`),
      ARTIFACTS: folder || this.artifacts.folderFor(name),
    };
    if (!file) ensurePrivateDirectory(this.directory);
    if (folder) mkdirSync(folder, { recursive: true });
    return places;
  }

  /** Writes the session's file anew, whole or not at all; a host's own file is the host's to write. */
  write(request: SessionRequest, kernel: string | undefined, artifacts: readonly Artifact[]): void {
    if (request.environment.PI_SESSION_FILE) return;
    const { PI_SESSION_FILE: path } = this.placesFor(request);
    const record = { name: sessionName(request), cwd: request.cwd, kernel: kernel ?? null, artifacts };
    const part = `${path}.${process.pid}.part`;
    writeFileSync(part, `${JSON.stringify(record, null, 1)}\n`, { mode: 0o600 });
    renameSync(part, path);
  }
}
