import { sessionNotFound } from "./errors.ts";
import type { HostedKernel, KernelModel } from "./hosted-kernel.ts";
import type { KernelHost } from "./kernel-host.ts";

/** The model of a session in the REST API (Jupyter Server, "Sessions"): a document and its kernel. */
export interface SessionModel {
  id: string;
  path: string;
  name: string;
  type: string;
  kernel: KernelModel;
  notebook: { path: string; name: string };
}

interface Entry {
  id: string;
  path: string;
  name: string;
  type: string;
  kernelId: string;
}

/** The sessions of `/api/sessions`; one whose kernel is gone is gone too. */
export class SessionTable {
  readonly #host: KernelHost;
  readonly #entries = new Map<string, Entry>();

  constructor(host: KernelHost) {
    this.#host = host;
  }

  list(): SessionModel[] {
    return [...this.#entries.keys()].flatMap((id) => this.#find(id) ?? []);
  }

  get(id: string): SessionModel {
    const model = this.#find(id);
    if (model === undefined) throw sessionNotFound(id);
    return model;
  }

  /** The session of a path whose kernel lives, for who asks for any. */
  findLive(path: unknown): SessionModel | undefined {
    if (typeof path !== "string" || path === "") return undefined;
    return this.list().find((session) => session.path === path && session.kernel.execution_state !== "dead");
  }

  /** Asking again for the same path and kernel gives the session there is. */
  create(body: Record<string, unknown>, kernel: HostedKernel): SessionModel {
    const path = text(body.path);
    const same = this.list().find((session) => session.path === path && session.kernel.id === kernel.id);
    if (same !== undefined) return same;
    const id = crypto.randomUUID();
    const entry = { id, path, name: text(body.name), type: text(body.type) || "notebook", kernelId: kernel.id };
    this.#entries.set(id, entry);
    return this.get(id);
  }

  change(id: string, body: Record<string, unknown>, kernel?: HostedKernel): SessionModel {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw sessionNotFound(id);
    for (const key of ["path", "name", "type"] as const) if (typeof body[key] === "string") entry[key] = body[key];
    if (kernel !== undefined) entry.kernelId = kernel.id;
    return this.get(id);
  }

  remove(id: string): void {
    this.#entries.delete(id);
  }

  #find(id: string): SessionModel | undefined {
    const entry = this.#entries.get(id);
    const kernel = entry && this.#host.list().find((candidate) => candidate.id === entry.kernelId);
    if (entry === undefined || kernel === undefined) {
      this.#entries.delete(id);
      return undefined;
    }
    const { path, name, type } = entry;
    return { id, path, name, type, kernel: kernel.model, notebook: { path, name } };
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
