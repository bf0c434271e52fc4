import { join } from "node:path";
import { logLine } from "../log.ts";
import { ArtifactStore } from "../output/artifacts.ts";
import { EXIT, type Invocation } from "./command.ts";
import { connect } from "./connect.ts";
import { onInterrupt } from "./interrupt.ts";

/** `nuthatch mcp`: the MCP server on standard input and output; with `--shared` on the daemon, else in this process. */
export async function runMcp(invocation: Invocation): Promise<number> {
  const { switches, values, environment, settings, session } = invocation;
  const { serveMcp } = await import("../mcp/serve-mcp.ts");
  if (process.stdin.isTTY) logLine("waiting for an MCP client on standard input; agent hosts start this command");
  const client = await connect({ ...invocation, inProcess: !switches.has("shared") }, "mcp");
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const options = {
    client,
    artifacts: new ArtifactStore(join(invocation.directories.state, "artifacts")),
    environment,
    settings,
    structured: switches.has("structured"),
    ownFolder: process.cwd(),
    ...(values.cwd === undefined ? {} : { cwd: invocation.cwd }),
    ...(session === undefined ? {} : { session }),
  };
  try {
    await serveMcp(options, stop.signal);
  } finally {
    await client.dispose();
    release();
  }
  return EXIT.done;
}
