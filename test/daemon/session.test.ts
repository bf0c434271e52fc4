import { beforeAll, expect, test } from "bun:test";
import { createApp } from "../../src/app.ts";
import { errorCode } from "../../src/errors.ts";
import type { SessionEvent } from "../../src/execute/session-watchers.ts";
import { divertConsole } from "../../src/log.ts";
import { loadSettings } from "../../src/settings.ts";
import type { Client } from "../../src/tools/client.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { callOptions, connectIn, directoriesOf, serveApp } from "./daemon-in-test.ts";

beforeAll(divertConsole);

/** Clients of one App with the bundled kernel: the App itself, or two clients of a daemon around it. */
async function openClients(home: string, kind: "in process" | "on the daemon") {
  const directories = directoriesOf(home);
  const { settings } = loadSettings({ flags: { kernel: "bundled" }, configDirectory: directories.config });
  const app = createApp({ directories, settings });
  const options = callOptions(home, { environment: { ...process.env }, settings });
  const call = async (client: Client, code: string, session = "shared") =>
    await client.callTool("python", { cells: [{ code }], session }, options);
  if (kind === "in process") return { agent: app, person: app, call, [Symbol.asyncDispose]: () => app.dispose() };
  const daemon = await serveApp(home, app);
  const [agent, person] = [await connectIn(home), await connectIn(home)];
  const dispose = async () => {
    await Promise.all([agent.dispose(), person.dispose()]);
    await daemon[Symbol.asyncDispose]();
  };
  return { agent, person, call, [Symbol.asyncDispose]: dispose };
}

/** Listens to a session and waits for the first event that `condition` takes. */
function watchSession(client: Client, name: string) {
  const stop = new AbortController();
  const events: SessionEvent[] = [];
  let check = () => {};
  const listen = (event: SessionEvent) => {
    events.push(event);
    check();
  };
  const ended = client.session(name).watch(listen, stop.signal);
  const until = (condition: (event: SessionEvent) => boolean) =>
    new Promise<SessionEvent>((resolve) => {
      check = () => {
        const found = events.find(condition);
        if (found) resolve(found);
      };
      check();
    });
  const end = async () => {
    stop.abort();
    await ended;
  };
  return { events, until, end };
}

const textOf = (events: SessionEvent[]) =>
  events.flatMap((event) => event.content.map((block) => (block.type === "text" ? block.text : ""))).join("");

for (const kind of ["in process", "on the daemon"] as const) {
  test(`${kind}, a person sees the cells of an agent as they run, the one that runs already too`, async () => {
    using home = temporaryFolder();
    await using clients = await openClients(home.path, kind);
    const { agent, person, call } = clients;
    const first = watchSession(person, "shared");
    await call(agent, "print('one'); x = 1");
    const end = await first.until((event) => event.ended);
    expect(textOf(first.events)).toBe("one\n");
    expect(end.details.cells).toMatchObject([{ code: "print('one'); x = 1", status: "complete", output: "one\n" }]);
    expect(new Set(first.events.map((event) => event.call)).size).toBe(1);
    await call(agent, "print('elsewhere')", "other");

    const running = call(agent, "import time\nprint('two', flush=True)\ntime.sleep(60)");
    await first.until((event) => textOf([event]).includes("two"));
    const late = watchSession(person, "shared");
    expect((await late.until(() => true)).details.cells).toMatchObject([{ status: "running" }]);
    await person.session("shared").interrupt();
    expect((await running).isError).toBe(true);
    await late.until((event) => event.ended);
    expect(textOf(late.events)).toContain("KeyboardInterrupt");
    expect(textOf(first.events)).not.toContain("elsewhere");
    await first.end();
    await late.end();
    const heard = first.events.length;
    await call(agent, "print('three')");
    expect(first.events.length).toBe(heard);
  }, 20_000);

  test(`${kind}, a session completes, inspects and judges code, and counts a cursor as the caller does`, async () => {
    using home = temporaryFolder();
    await using clients = await openClients(home.path, kind);
    const { agent, person, call } = clients;
    await call(agent, "def winged_seed(n):\n    'Spins n times.'\n\nbird = 'nuthatch'");
    const session = person.session("shared");
    const code = "'\u{1f426}'; wing";
    const completion = await session.complete(code, code.length);
    expect(completion.matches[0]).toStartWith("winged_seed");
    expect([completion.start, completion.end]).toEqual([6, code.length]);
    expect(await session.complete("'\u{1f426}'; bir + 1", 9)).toMatchObject({ matches: ["bird"], start: 6, end: 9 });
    const inspection = await session.inspect("'\u{1f426}'; winged_seed", 9);
    expect([inspection.found, inspection.data["text/plain"]]).toEqual([
      true,
      expect.stringContaining("Spins n times."),
    ]);
    expect(await session.inspect("nowhere", 3)).toEqual({ found: false, data: {} });
    expect(await session.isComplete("x = 1")).toMatchObject({ status: "complete" });
    expect(await session.isComplete("def f():")).toMatchObject({ status: "incomplete" });
    expect(await session.isComplete("x ===")).toMatchObject({ status: "invalid" });
    expect(await person.session("none").complete("x", 1).catch(errorCode)).toBe("session_not_found");
    expect(await person.session("none").interrupt().catch(errorCode)).toBe("session_not_found");
  }, 20_000);
}
