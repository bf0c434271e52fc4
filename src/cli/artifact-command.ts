import { join } from "node:path";
import { ArtifactStore } from "../output/artifacts.ts";
import { EXIT, type Invocation } from "./command.ts";
import { writeBytes, writeJson } from "./standard-output.ts";

/** `nuthatch artifact <id>`: the bytes of a spilled output as they are; with `--json` what is known of it, and no bytes. */
export async function runArtifact(invocation: Invocation): Promise<number> {
  const store = new ArtifactStore(join(invocation.directories.state, "artifacts"));
  const id = invocation.positionals[0] as string;
  if (invocation.json) writeJson(store.find(id));
  else writeBytes(await store.read(id));
  return EXIT.done;
}
