import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type Root,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** A host that names roots but does not tell them in this time is served from the process's folder. */
const ROOTS_TIMEOUT_MS = 3000;

/**
 * The folder that relative paths start from: `--cwd`, else the client's first root that is a folder of this machine, else the
 * process's own. The roots are asked for by the first call that needs them, and again after the client said that they changed.
 */
export class BaseFolder {
  private found: Promise<string> | undefined;

  constructor(
    private readonly server: Server,
    private readonly explicit: string | undefined,
    private readonly own: string,
  ) {}

  /** The folder, or the request for the roots that the client has to answer before it sends the call again (2026-07-28). */
  async locate(context: ServerContext, era: "legacy" | "modern"): Promise<string | InputRequiredResult> {
    if (this.explicit !== undefined) return this.explicit;
    if (this.found !== undefined) return await this.found;
    if (era === "legacy") {
      this.found = this.ask();
      return await this.found;
    }
    if (!declaresRoots(context)) return this.own;
    const answers = context.mcpReq.inputResponses;
    if (answers === undefined) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    this.found = Promise.resolve(this.choose((answers.roots as { roots?: Root[] } | undefined)?.roots ?? []));
    return await this.found;
  }

  /** The client's roots changed: the next call asks again. */
  forget(): void {
    this.found = undefined;
  }

  private async ask(): Promise<string> {
    if (this.server.getClientCapabilities()?.roots === undefined) return this.own;
    try {
      const { roots } = await this.server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS });
      return this.choose(roots);
    } catch {
      return this.own;
    }
  }

  private choose(roots: Root[]): string {
    return roots.map((root) => folderOf(root.uri)).find((folder) => folder !== undefined) ?? this.own;
  }
}

/** Whether this request's own envelope says that its client can list roots (2026-07-28, "Per-request metadata"). */
function declaresRoots(context: ServerContext): boolean {
  const envelope: Record<string, unknown> = context.mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.roots !== undefined;
}

/** The folder of a `file:` URI, or undefined when it is none of this machine's. */
function folderOf(uri: string): string | undefined {
  try {
    const path = fileURLToPath(uri);
    return statSync(path).isDirectory() ? path : undefined;
  } catch {
    return undefined;
  }
}
