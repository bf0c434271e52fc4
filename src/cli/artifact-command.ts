import { join } from "node:path";
import { ArtifactStore } from "../output/artifacts.ts";
import { EXIT, type Invocation } from "./command.ts";
import { writeBytes, writeJson } from "./standard-output.ts";

/**
 * `nuthatch artifact <id>`: the bytes of a spilled output as they are, on a terminal only what cannot act on it; with `--json`
 * what is known of it, and no bytes.
 */
export async function runArtifact(invocation: Invocation): Promise<number> {
  const store = new ArtifactStore(join(invocation.directories.state, "artifacts"));
  const id = invocation.positionals[0] as string;
  if (invocation.json) writeJson(store.find(id));
  else if (process.stdout.isTTY) await (await import("./show-artifact.ts")).showArtifact(store, id, invocation);
  else for (const piece of store.readPieces(id)) writeBytes(piece);
  return EXIT.done;
}
