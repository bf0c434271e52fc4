import { invalidInput } from "../errors.ts";
import { loadTools } from "../tools/list.ts";
import { describeTools, SCHEMA_FORMATS, type SchemaFormat } from "../tools/schema.ts";
import { EXIT, type Invocation } from "./command.ts";
import { writeOut } from "./standard-output.ts";

/** `nuthatch tools`: what a host hands to its model. */
export async function runTools(invocation: Invocation): Promise<number> {
  const format = (invocation.values.format ?? "mcp") as SchemaFormat;
  if (!SCHEMA_FORMATS.includes(format)) {
    throw invalidInput(`unknown format "${format}"`, "format", `the formats are ${SCHEMA_FORMATS.join(", ")}`);
  }
  writeOut(`${JSON.stringify(describeTools(await loadTools(), format), null, 2)}\n`);
  return EXIT.done;
}
