import { exit } from "./exit.ts";

// A second import level keeps this file free of anything that costs time before the command is known.
const { runCli } = await import("./cli/cli.ts");
exit(await runCli(process.argv.slice(2)));
