import { stopDaemon } from "../daemon/stop-daemon.ts";
import { EXIT, type Invocation } from "./command.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** `nuthatch stop`: ends the background daemon, and returns when it and its kernels are gone. */
export async function runStop({ directories, json }: Invocation): Promise<number> {
  const outcome = await stopDaemon(directories.runtime);
  if (json) writeJson(outcome === undefined ? { stopped: false } : { stopped: true, ...outcome });
  else if (outcome === undefined) writeOut("no daemon was running\n");
  else if (outcome.how === "stopped") writeOut(`the daemon (pid ${outcome.pid}) has ended\n`);
  else writeOut(`the daemon (pid ${outcome.pid}) did not answer and was killed\n`);
  return EXIT.done;
}
