import { EXIT, type Invocation } from "./command.ts";
import skill from "./skill.md" with { type: "text" };
import { writeOut } from "./standard-output.ts";

/** `nuthatch skill`: prints the file that teaches an agent with a shell to use the tools. */
export async function runSkill(_invocation: Invocation): Promise<number> {
  writeOut(skill);
  return EXIT.done;
}
