import { kernelForLanguageNotFound } from "./errors.ts";
import type { GatewayClient } from "./gateway-client.ts";
import type { KernelPlace } from "./gateway-settings.ts";

/** The kernels that run Python on every host, by the names that a call may ask for. */
const PYTHON_KERNELS = ["auto", "bundled", "nuthatch", "python3"];

/**
 * The kernel of a notebook: the setting where it names one, else the notebook's kernelspec where the gateway has it, else one
 * of the notebook's language. Throws `kernelspec_not_found`, which names what there is.
 */
export async function chooseNotebookKernel(
  client: GatewayClient,
  metadata: Record<string, unknown>,
  setting: string,
  place: KernelPlace,
): Promise<string> {
  if (setting !== "auto") return setting;
  const wanted = member(metadata.kernelspec, "name");
  const language = languageOf(metadata);
  if (wanted === "python3" || (wanted === undefined && language === undefined)) return "auto";
  const specs = await client.listKernelSpecs(place);
  const named = specs.find((spec) => spec.name.toLowerCase() === wanted?.toLowerCase());
  if (named !== undefined) return named.name;
  if (language === undefined || language.toLowerCase() === "python") return "auto";
  const speaks = specs.find((spec) => spec.language.toLowerCase() === language.toLowerCase());
  if (speaks !== undefined) return speaks.name;
  throw kernelForLanguageNotFound(
    wanted ?? "",
    language,
    specs.map((spec) => spec.name),
  );
}

/** The language of a notebook's cells in a kernel: the kernelspec's, or what the notebook says where that is not known. */
export async function findNotebookLanguage(
  client: GatewayClient,
  metadata: Record<string, unknown>,
  kernel: string,
  place: KernelPlace,
): Promise<string> {
  if (PYTHON_KERNELS.includes(kernel)) return "python";
  const specs = await client.listKernelSpecs(place);
  const spec = specs.find((candidate) => candidate.name.toLowerCase() === kernel.toLowerCase());
  return spec?.language || (languageOf(metadata) ?? "");
}

function languageOf(metadata: Record<string, unknown>): string | undefined {
  return member(metadata.kernelspec, "language") ?? member(metadata.language_info, "name");
}

function member(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as Record<string, unknown>)[name];
  return typeof found === "string" && found !== "" ? found : undefined;
}
