import { invalidInput } from "../errors.ts";
import { EXIT, type Invocation } from "./command.ts";
import { bashCompletion } from "./completion/bash.ts";
import { fishCompletion } from "./completion/fish.ts";
import { completionTable } from "./completion/table.ts";
import { zshCompletion } from "./completion/zsh.ts";
import { writeOut } from "./standard-output.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `nuthatch completion <shell>`: prints the script that completes commands, options and their values. */
export async function runCompletion(invocation: Invocation): Promise<number> {
  const shell = invocation.positionals[0] as string;
  if (!Object.hasOwn(SHELLS, shell)) {
    throw invalidInput(`unknown shell "${shell}"`, "shell", `the shells are ${Object.keys(SHELLS).join(", ")}`);
  }
  writeOut(SHELLS[shell as keyof typeof SHELLS](completionTable()));
  return EXIT.done;
}
