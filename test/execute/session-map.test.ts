import { expect, test } from "bun:test";
import fc from "fast-check";
import { ScriptedExecutor } from "./scripted-executor.ts";

const MOST_SESSIONS = 2;
const EXHAUSTED = "Python kernel restarted too many times in this session";

/** What a session must be: its value, restarts since its last completed cell, and why its state is gone if it is. */
interface Expected {
  value: string | undefined;
  restarts: number;
  dead: boolean;
}

/** Sessions in the order of their last use, the longest unused first; `told` are endings that the next call must mention. */
interface Model {
  sessions: Map<string, Expected>;
  told: Set<string>;
}

class Real extends ScriptedExecutor {
  constructor() {
    super({ cleanUp: 1, heartbeat: 60_000 });
  }

  async call(name: string, code: string, more: { reset?: boolean; idleTimeout?: number } = {}): Promise<string> {
    const { reset = false, idleTimeout = 300 } = more;
    return (await this.run(code, { name, reset, settings: { maxSessions: MOST_SESSIONS, idleTimeout } })).text;
  }
}

/** The session as a call finds it: made anew, with room made for it, or restarted after its death. */
function enter(model: Model, name: string, reset: boolean): { session: Expected; lost: boolean } {
  let lost = model.told.delete(name);
  let session = model.sessions.get(name);
  if (session === undefined) {
    if (model.sessions.size >= MOST_SESSIONS) {
      const oldest = model.sessions.keys().next().value as string;
      model.sessions.delete(oldest);
      model.told.add(oldest);
    }
    session = { value: undefined, restarts: 0, dead: false };
  }
  model.sessions.delete(name);
  model.sessions.set(name, session);
  if (reset) Object.assign(session, { value: undefined, restarts: 0, dead: false });
  else if (session.dead && session.restarts <= 1) {
    Object.assign(session, { value: undefined, restarts: session.restarts + 1, dead: false });
    lost = true;
  }
  if (reset) lost = false;
  return { session, lost };
}

type Command = fc.AsyncCommand<Model, Real>;

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

const name = fc.constantFrom("a", "b", "c");

const commands = [
  fc.tuple(name, fc.boolean(), fc.stringMatching(/^[a-z]{1,3}$/)).map(([session, reset, word]) =>
    command(`set ${session} ${word}${reset ? " reset" : ""}`, async (model, real) => {
      const expected = enter(model, session, reset);
      const text = await real.call(session, `set ${word}`, { reset });
      if (expected.session.restarts > 1) return expect(text).toStartWith(EXHAUSTED);
      Object.assign(expected.session, { value: word, restarts: 0 });
      expect(text.includes("The state of this session was lost")).toBe(expected.lost);
    }),
  ),
  name.map((session) =>
    command(`get ${session}`, async (model, real) => {
      const expected = enter(model, session, false);
      const text = await real.call(session, "get");
      if (expected.session.restarts > 1) return expect(text).toStartWith(EXHAUSTED);
      expected.session.restarts = 0;
      expect(text.split("\n")[0]).toBe(expected.session.value ?? "nothing");
      expect(text.includes("The state of this session was lost")).toBe(expected.lost);
    }),
  ),
  name.map((session) =>
    command(`kill ${session}`, async (model, real) => {
      const expected = model.sessions.get(session);
      if (expected === undefined || expected.restarts > 1) return;
      // The idle clean-up would end a dead session at once; the next call restarts it first.
      const text = await real.call(session, "die");
      enter(model, session, false);
      expect(text).toContain(EXHAUSTED);
      Object.assign(expected, { value: undefined, restarts: 2 });
    }),
  ),
  name.map((session) =>
    command(`die once ${session}`, async (model, real) => {
      const expected = enter(model, session, false).session;
      real.provider.diesOnce.left = 1;
      const text = await real.call(session, "die once");
      real.provider.diesOnce.left = 0;
      if (expected.restarts > 1) return expect(text).toStartWith(EXHAUSTED);
      const survives = expected.restarts === 0;
      expect(text).toContain(survives ? "this cell ran again" : EXHAUSTED);
      Object.assign(expected, { value: undefined, restarts: survives ? 0 : 2 });
    }),
  ),
  name.map((session) =>
    command(`idle ${session}`, async (model, real) => {
      const { session: expected } = enter(model, session, true);
      await real.call(session, "set gone", { reset: true, idleTimeout: 0 });
      while (real.names.includes(session)) await Bun.sleep(1);
      expect(expected.restarts).toBe(0);
      model.sessions.delete(session);
      model.told.add(session);
    }),
  ),
  name.map((session) =>
    command(`stop ${session}`, async (model, real) => {
      if (!model.sessions.delete(session)) return;
      await real.executor.stopSession(session);
    }),
  ),
];

test("the sessions are those that a simple model says, whatever is done to them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 25 }), async (steps) => {
      const real = new Real();
      try {
        const model: Model = { sessions: new Map(), told: new Set() };
        await fc.asyncModelRun(() => ({ model, real }), steps);
        expect(real.names.sort()).toEqual([...model.sessions.keys()].sort());
      } finally {
        await real[Symbol.asyncDispose]();
        expect(real.provider.live.size).toBe(0);
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
