import type { CellOutput, HookEvents, HookName, NotifyHook, Plugin } from "./api.ts";
import { callLimited, waitLimited } from "./time-limit.ts";

/** How long is waited for hooks that return a promise, all together. */
const HOOK_LIMIT_MS = 2000;

/** A plugin with the file it came from. */
export interface HookOwner {
  plugin: Plugin;
  source: string;
}

/** Hears of a hook that threw or hung; it is not called again. */
export type OnHookFailure = (source: string, prefix: string, error: unknown) => void;

type Hook = (event: unknown) => unknown;

/** The hooks of all plugins, by kind of dispatch. Nothing here throws, and nothing waits for long. */
export class PluginHooks {
  private readonly hooks = new Map<HookName, { hook: Hook; owner: HookOwner }[]>();

  constructor(
    owners: readonly HookOwner[],
    private readonly onFailure: OnHookFailure,
  ) {
    for (const owner of owners) {
      for (const [name, hook] of Object.entries(owner.plugin.hooks ?? {})) {
        const bound = (hook as Hook).bind(owner.plugin.hooks);
        this.hooks.set(name as HookName, [...(this.hooks.get(name as HookName) ?? []), { hook: bound, owner }]);
      }
    }
  }

  /** Whether anybody listens: an event that is costly to make need not be made otherwise. */
  has(name: HookName): boolean {
    return (this.hooks.get(name)?.length ?? 0) > 0;
  }

  /** Tells all plugins at once; resolves when all are done or cut off. */
  async notify<Name extends NotifyHook>(name: Name, event: HookEvents[Name]): Promise<void> {
    await Promise.all((this.hooks.get(name) ?? []).map(({ hook, owner }) => this.callAsync(name, hook, owner, event)));
  }

  /** What the plugins make of an output of a cell; null when one drops it. */
  changeOutput(event: HookEvents["cellOutput"]): CellOutput | null {
    let output = event.output;
    for (const { hook, owner } of this.hooks.get("cellOutput") ?? []) {
      try {
        const answer = readAnswer(callLimited(() => hook({ ...event, output })));
        if (answer === null) return null;
        output = answer ?? output;
      } catch (error) {
        this.drop("cellOutput", hook, owner, error);
      }
    }
    return output;
  }

  /** Why a notebook must not be written, from the first plugin that refuses; undefined when none does. */
  async refuseWrite(event: HookEvents["notebookWrite"]): Promise<string | undefined> {
    for (const { hook, owner } of this.hooks.get("notebookWrite") ?? []) {
      const answer = await this.callAsync("notebookWrite", hook, owner, event);
      if (answer === false) return `the plugin ${owner.plugin.name} refused it`;
      if (typeof answer === "string") return `the plugin ${owner.plugin.name} refused it: ${answer}`;
    }
    return undefined;
  }

  private async callAsync(name: HookName, hook: Hook, owner: HookOwner, event: unknown): Promise<unknown> {
    try {
      const answer = callLimited(() => hook(event));
      return answer instanceof Promise ? await waitLimited(answer, HOOK_LIMIT_MS) : answer;
    } catch (error) {
      this.drop(name, hook, owner, error);
      return undefined;
    }
  }

  private drop(name: HookName, hook: Hook, owner: HookOwner, error: unknown): void {
    const others = (this.hooks.get(name) ?? []).filter((entry) => entry.hook !== hook);
    this.hooks.set(name, others);
    this.onFailure(owner.source, `hook ${name}: `, error);
  }
}

function readAnswer(answer: unknown): CellOutput | null | undefined {
  if (answer === undefined || answer === null) return answer;
  const type = typeof answer === "object" && "type" in answer ? answer.type : undefined;
  if (type === "stream" || type === "display" || type === "error") return answer as CellOutput;
  throw new TypeError("it must return an output, null or nothing");
}
