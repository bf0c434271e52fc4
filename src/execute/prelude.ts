import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";
import {
  carryPrelude,
  deliverPrelude,
  type PreludeModule,
  type PreludePlace,
  preludeCode,
  strictPreludeCode,
} from "../python/prelude.ts";
import type { SessionRequest } from "./kernel-session.ts";

/** The user's modules for a folder, and what of them could not be read. */
export interface FoundModules {
  modules: PreludeModule[];
  failed: unknown[];
}

/** Where preludes come from: the runtime directory, whether kernels can read it, and the modules for a folder. */
export interface PreludeOptions {
  runtimeDirectory: string;
  local: boolean;
  modules?(cwd: string): FoundModules;
}

/** The prelude of one kernel: the code that loads it, and what went wrong before. */
export interface Prelude {
  code(): string;
  /** The same without a word on what is wrong; absent where modules of the user's are in it, which may have much to say. */
  silentCode?(): string;
  failed: unknown[];
}

/** The prelude that a session's kernel gets; none where it is turned off, and none in a notebook's session. */
export function preludeFor(request: SessionRequest, options: PreludeOptions): Prelude | undefined {
  if (!request.settings.prelude || request.notebook !== undefined) return undefined;
  const { modules, failed } = options.modules?.(request.cwd) ?? { modules: [], failed: [] };
  const place = findPlace(options);
  const silent = modules.length > 0 ? {} : { silentCode: () => strictPreludeCode(place, []).join("\n") };
  return { code: () => preludeCode(place, modules), ...silent, failed };
}

/** A kernel elsewhere gets the text; so does one here when the disk takes no file. */
function findPlace({ local, runtimeDirectory }: PreludeOptions): PreludePlace {
  if (!local) return carryPrelude();
  try {
    return deliverPrelude(runtimeDirectory);
  } catch (error) {
    logLine(`the prelude was not written: ${errorMessage(error)}`);
    return carryPrelude();
  }
}
