import { statSync } from "node:fs";
import type { Artifact } from "./artifact-index.ts";

/** How long artifacts are kept, in seconds, and how many bytes all of them may have. 0 is no limit. */
export interface ArtifactLimits {
  maxAge: number;
  maxBytes: number;
}

/** Nothing that was written to in the last minute is taken away: its writer, or the reader of its link, is still at it. */
const GRACE_MS = 60_000;

/**
 * The artifacts that have to go: those whose bytes are gone already, those that are too old, and of the rest the oldest until
 * what is left fits. `now` is in milliseconds.
 */
export function findExpired(artifacts: readonly Artifact[], limits: ArtifactLimits, now = Date.now()): Artifact[] {
  const expired: Artifact[] = [];
  const kept: { artifact: Artifact; bytes: number; at: number }[] = [];
  for (const artifact of artifacts) {
    const stat = statSync(artifact.path, { throwIfNoEntry: false });
    const age = now - (stat?.mtimeMs ?? artifact.createdAt);
    if (age < GRACE_MS) kept.push({ artifact, bytes: stat?.size ?? 0, at: now });
    else if (stat === undefined || (limits.maxAge > 0 && age > limits.maxAge * 1000)) expired.push(artifact);
    else kept.push({ artifact, bytes: stat.size, at: stat.mtimeMs });
  }
  let total = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { artifact, bytes, at } of kept.toSorted((left, right) => left.at - right.at)) {
    if (limits.maxBytes === 0 || total <= limits.maxBytes || at === now) break;
    expired.push(artifact);
    total -= bytes;
  }
  return expired;
}
