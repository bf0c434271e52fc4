import { toJsonSchema } from "@valibot/to-json-schema";
import type { AnyTool } from "./list.ts";

/** The shapes in which model APIs take a list of tools. */
export const SCHEMA_FORMATS = ["mcp", "openai", "anthropic"] as const;
export type SchemaFormat = (typeof SCHEMA_FORMATS)[number];

/** Describes tools for a model API: name, description and the JSON Schema of the input. */
export function describeTools(tools: readonly AnyTool[], format: SchemaFormat): Record<string, unknown>[] {
  return tools.map((tool) => {
    const schema = inputSchema(tool);
    if (format === "openai") {
      const { name, description } = tool;
      return { type: "function", function: { name, description, parameters: schema } };
    }
    if (format === "anthropic") return { name: tool.name, description: tool.description, input_schema: schema };
    return { name: tool.name, title: tool.title, description: tool.description, inputSchema: schema };
  });
}

/** The JSON Schema of a tool's input; checks that JSON Schema cannot say are left to the tool. */
export function inputSchema(tool: AnyTool): Record<string, unknown> {
  const { $schema: _, ...schema } = toJsonSchema(tool.input, { typeMode: "input", errorMode: "ignore" });
  return schema;
}
