// usage: run-soak.ts [seconds] [seed]. See scripts/soak.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BINARY = join(import.meta.dir, "..", "dist", "nuthatch");
const CLIENTS = 16;
const SESSIONS = 4;
/** A call that takes longer hangs, in milliseconds: its own timeout, an interrupt's grace and a restart are well below. */
const CALL_LIMIT = 60_000;
/** What an error of a call may be about while daemons and kernels are killed. */
const HONEST = /daemon .*ended|kernel .*(died|ended|restarted too many times|could not be)|lost|closed|cancelled/i;

const seconds = Number(process.argv[2] ?? 180);
const seed = Number(process.argv[3] ?? Date.now() % 100_000);
const home = mkdtempSync(join(tmpdir(), "nuthatch-soak-"));
const env = { ...process.env, NUTHATCH_HOME: home, NUTHATCH_KERNEL: "bundled" };
const end = performance.now() + seconds * 1000;
const random = randomNumbers(seed);
const wrong: string[] = [];
/** Sessions that were restarted too often; only a reset helps. */
const exhausted = new Set<string>();
const counts = new Map<string, number>();

process.stderr.write(`soak: ${seconds} s, seed ${seed}\n`);
await Promise.all([...Array.from({ length: CLIENTS }, (_, client) => runClient(client)), killAtRandom()]);
await checkQuiet();
await run(["stop"]);
const left = processesOf(home);
if (left.length > 0) wrong.push(`still running: ${left.join(", ")}`);
const files = readdirSync(join(home, "runtime")).filter((name) => /^(daemon|gateway)|^k\d/.test(name));
if (files.length > 0) wrong.push(`left in the runtime directory: ${files.join(", ")}`);
rmSync(home, { recursive: true, force: true });
process.stdout.write(`${[...counts].map(([what, count]) => `${what} ${count}`).join(", ")}\n`);
for (const line of wrong.slice(0, 50)) process.stdout.write(`WRONG: ${line}\n`);
process.exit(wrong.length === 0 ? 0 : 1);

/** Calls one after another; each prints a token of its own, and some take their time. */
async function runClient(client: number): Promise<void> {
  for (let call = 0; performance.now() < end; call++) {
    const token = `${client}-${call}`;
    const pause = random() < 0.3 ? random() : 0;
    const code = `import time; time.sleep(${pause}); print("token ${token}")`;
    const session = `s${Math.floor(random() * SESSIONS)}`;
    const killed = random() < 0.1;
    const input = { cells: [{ code }], reset: exhausted.delete(session) };
    const words = ["call", "python", JSON.stringify(input), "--session", session];
    const finished = await run(words, killed ? random() * 300 : undefined);
    const verdict = judge(finished, token, killed);
    if (finished.stdout.includes("restarted too many times")) exhausted.add(session);
    count(verdict);
    if (verdict === "wrong") wrong.push(`${token} ${JSON.stringify(finished)}`);
  }
}

function judge(finished: Awaited<ReturnType<typeof run>>, token: string, killed: boolean): string {
  if (finished.hung) return "wrong";
  if (killed && finished.exitCode === null) return "client killed";
  const result = parse(finished.stdout);
  if (result === undefined || finished.stderr !== "") return "wrong";
  const text = result.content.map((block) => block.text ?? "").join("");
  if (!result.isError) return text.includes(`token ${token}\n`) && finished.exitCode === 0 ? "done" : "wrong";
  return HONEST.test(text) && finished.exitCode !== 0 ? "error that tells why" : "wrong";
}

/** Kills kernels often and the daemon now and then, as a machine short of memory would. */
async function killAtRandom(): Promise<void> {
  while (performance.now() < end) {
    await Bun.sleep(200 + random() * 800);
    const { sessions } = (parse((await run(["sessions", "--json"])).stdout) ?? {}) as {
      sessions?: { pid: number | null }[];
    };
    const kernels = sessions?.flatMap(({ pid }) => pid ?? []) ?? [];
    if (random() < 0.1) kill(daemonPid(), "daemon killed");
    else kill(kernels[Math.floor(random() * kernels.length)], "kernel killed");
  }
}

/** With nobody killing, a hundred calls must leave the daemon with the descriptors that it had. */
async function checkQuiet(): Promise<void> {
  const call = () => run(["call", "python", '{"cells":[{"code":"1"}]}', "--session", "s0"]);
  for (let n = 0; n < 10; n++) await call();
  const before = descriptorsOf(daemonPid()).length;
  for (let n = 0; n < 100; n++) await call();
  let after = descriptorsOf(daemonPid()).length;
  // The connection of the last client may be closing yet.
  for (let wait = 0; after > before && wait < 100; wait++) {
    await Bun.sleep(50);
    after = descriptorsOf(daemonPid()).length;
  }
  if (before === 0 || after > before)
    wrong.push(`descriptors of the daemon: ${before} before 100 calls, ${after} after`);
}

async function run(words: string[], killAfter?: number) {
  const child = Bun.spawn([BINARY, ...words], { cwd: home, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  let hung = false;
  const limit = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, CALL_LIMIT);
  const killing = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  clearTimeout(limit);
  clearTimeout(killing);
  return { exitCode: child.exitCode, stdout, stderr, hung };
}

function parse(text: string): { content: { text?: string }[]; isError: boolean } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function kill(pid: number | undefined, what: string): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGKILL");
    count(what);
  } catch {
    // It has gone already.
  }
}

function daemonPid(): number | undefined {
  try {
    return JSON.parse(readFileSync(join(home, "runtime", "gateway.json"), "utf8")).pid;
  } catch {
    return undefined;
  }
}

function descriptorsOf(pid: number | undefined): string[] {
  return readdirSync(`/proc/${pid}/fd`);
}

/** Processes that were started with this home, whoever is their parent now. */
function processesOf(folder: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").includes(`NUTHATCH_HOME=${folder}`);
    } catch {
      return false;
    }
  });
}

function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** Numbers in 0..1 that are the same for the same seed (mulberry32). */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
