import { NuthatchError } from "../errors.ts";

/** An id that names no artifact of this user; one that was removed by age or size says so. */
export function artifactNotFound(id: string, removed = false): NuthatchError {
  return new NuthatchError({
    code: "artifact_not_found",
    message: removed ? `artifact ${id} was removed to keep within the limits of age and size` : `no artifact "${id}"`,
    hint: removed
      ? "run the cell again; the settings artifactMaxAge and artifactMaxBytes hold the limits"
      : "an id is the number of an artifact:// link",
    data: { id },
  });
}

/** The store could not take an artifact: disk full, permission. */
export function artifactWriteFailed(path: string, cause: Error): NuthatchError {
  return new NuthatchError({
    code: "artifact_write_failed",
    message: `cannot write ${path}: ${cause.message}`,
    data: { path },
    cause,
  });
}
