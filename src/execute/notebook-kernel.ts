import { kernelForLanguageNotFound } from "./errors.ts";
import type { GatewayClient } from "./gateway-client.ts";

/**
 * The kernel of a notebook: the setting where it names one, else the notebook's kernelspec where the gateway has it, else one
 * of the notebook's language. Throws `kernelspec_not_found`, which names what there is.
 */
export async function chooseNotebookKernel(
  client: GatewayClient,
  metadata: Record<string, unknown>,
  setting: string,
): Promise<string> {
  if (setting !== "auto") return setting;
  const wanted = member(metadata.kernelspec, "name");
  const language = (member(metadata.kernelspec, "language") ?? member(metadata.language_info, "name"))?.toLowerCase();
  if (wanted === undefined && language === undefined) return "auto";
  if (wanted === "python3") return "auto";
  const specs = await client.listKernelSpecs();
  const named = specs.find((spec) => spec.name.toLowerCase() === wanted?.toLowerCase());
  if (named !== undefined) return named.name;
  if (language === undefined || language === "python") return "auto";
  const speaks = specs.find((spec) => spec.language.toLowerCase() === language);
  if (speaks !== undefined) return speaks.name;
  throw kernelForLanguageNotFound(
    wanted ?? "",
    language,
    specs.map((spec) => spec.name),
  );
}

function member(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as Record<string, unknown>)[name];
  return typeof found === "string" && found !== "" ? found : undefined;
}
