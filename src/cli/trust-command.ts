import { resolve } from "node:path";
import { listTrusted, setTrust } from "../plugin/trust.ts";
import { EXIT, type Invocation } from "./command.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** `nuthatch trust [dir]`: lets the plugins and modules of a project's `.nuthatch` folder run; `--list`, `--remove`. */
export async function runTrust({ positionals, switches, cwd, directories, json }: Invocation): Promise<number> {
  if (switches.has("list")) {
    const trusted = listTrusted(directories.state);
    if (json) writeJson({ trusted });
    else writeOut(trusted.map((path) => `${path}\n`).join(""));
    return EXIT.done;
  }
  const trusted = !switches.has("remove");
  const path = setTrust(directories.state, resolve(cwd, positionals[0] ?? "."), trusted);
  if (json) writeJson({ path, trusted });
  else writeOut(`${path} is ${trusted ? "trusted" : "no longer trusted"}\n`);
  return EXIT.done;
}
