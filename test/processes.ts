import { readdirSync, readFileSync } from "node:fs";

/** The processes of a home: those that have it in their environment, whoever is their parent now. */
export function processesOf(home: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").includes(`NUTHATCH_HOME=${home}`);
    } catch {
      return false;
    }
  });
}
