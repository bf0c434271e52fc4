import { statSync } from "node:fs";
import { VERSION } from "../version.ts";
import type { Build } from "./wire.ts";

/** The build of this process; its executable's time is that of the moment, so ask at start. */
export function ownBuild(): Build {
  const executable = process.execPath;
  return { version: VERSION, executable, modified: modifiedAt(executable) };
}

/**
 * What a client's build is, compared with the daemon's, by Semantic Versioning. A binary that was replaced in place under the
 * same version is newer than the daemon that it once started.
 */
export function compareBuilds(client: Build, daemon: Build): "same" | "newer" | "older" {
  const order = Bun.semver.order(client.version, daemon.version);
  if (order !== 0) return order > 0 ? "newer" : "older";
  return client.executable === daemon.executable && client.modified !== daemon.modified ? "newer" : "same";
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
