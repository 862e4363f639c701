import { type FastifyInstance, fastify, type InjectOptions } from "fastify";
import { expect, test } from "vitest";
import { createAttempts } from "../../src/console/auth/attempts.ts";
import {
  type ClosedSessions,
  createSessions,
  openCookies,
  SESSION_MS,
} from "../../src/console/auth/sessions.ts";
import { type ConsoleSettings, checkSettings } from "../../src/console/settings.ts";
import { createManualClock, type ManualClock } from "../../src/lib/clock.ts";

const LOGIN = { username: "team", password: "correct horse" };
const SETTINGS: ConsoleSettings = { host: "127.0.0.1", port: 0, timezone: "UTC" };
const NOON = Date.parse("2026-03-03T12:00:00Z");

test("a page on a network without a login is refused, with what to do", () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.7", "earshot.example"]) {
    expect(() => checkSettings({ ...SETTINGS, host })).toThrow("let everybody in");
    expect(() => checkSettings({ ...SETTINGS, host, login: LOGIN })).not.toThrow();
  }
  for (const host of ["127.0.0.1", "localhost", "::1"]) {
    expect(() => checkSettings({ ...SETTINGS, host })).not.toThrow();
  }
});

/** A process with only the cookies: `/in` logs in, `/who` returns the user, `/out` closes the session. */
async function aProcess(parts: {
  readonly clock: ManualClock;
  readonly closed: ClosedSessions;
  readonly password?: string;
  readonly secret?: string;
}): Promise<FastifyInstance> {
  const { clock: wall, closed, password = LOGIN.password, secret = "random" } = parts;
  const app = fastify();
  await openCookies(app, secret, SETTINGS);
  const sessions = await createSessions({ ...LOGIN, password }, { secret, closed, wall });
  app.get("/in", async (request) => {
    sessions.open(request);
    return "in";
  });
  app.get("/who", async (request) => ({ who: (await sessions.find(request))?.username ?? null }));
  app.get("/out", async (request) => {
    const session = await sessions.find(request);
    if (session !== null) await sessions.close(session);
    return "out";
  });
  return app;
}

function closedSessions(): ClosedSessions {
  const ids = new Set<string>();
  return { close: async (id) => void ids.add(id), isClosed: async (id) => ids.has(id) };
}

async function logIn(app: FastifyInstance): Promise<string> {
  const [session] = (await app.inject("/in")).cookies.filter(({ name }) => name === "earshot");
  return session?.value ?? "";
}

const who = async (app: FastifyInstance, earshot: string) =>
  (await app.inject({ url: "/who", cookies: { earshot } })).json<{ who: string | null }>().who;

test("a session is open until it expires, in every process of the same login", async () => {
  const parts = { clock: createManualClock(NOON), closed: closedSessions() };
  const [one, other] = await Promise.all([aProcess(parts), aProcess(parts)]);
  const cookie = await logIn(one);
  expect(await who(other, cookie)).toBe("team");
  parts.clock.advance(SESSION_MS);
  expect(await who(one, cookie)).toBeNull();
});

test("a session that was changed, or made under another password or secret, is not open", async () => {
  const parts = { clock: createManualClock(NOON), closed: closedSessions() };
  const app = await aProcess(parts);
  const cookie = await logIn(app);
  expect(await who(await aProcess({ ...parts, password: "battery staple" }), cookie)).toBeNull();
  expect(await who(await aProcess({ ...parts, secret: "another" }), cookie)).toBeNull();
  for (const text of ["", ";", "x", `A${cookie}`, cookie.slice(1), cookie.replace(";", "")]) {
    expect(await who(app, text)).toBeNull();
  }
});

test("a session that logged out is closed for every process, and after a restart, however its cookie is written", async () => {
  const parts = { clock: createManualClock(NOON), closed: closedSessions() };
  const app = await aProcess(parts);
  const cookie = await logIn(app);
  await app.inject({ url: "/out", cookies: { earshot: cookie } });
  const afterwards = await aProcess(parts);
  for (const text of [cookie, `${cookie}.x`, `${cookie};x`, `${cookie} `, `${cookie}=`]) {
    expect(await who(app, text)).toBeNull();
    expect(await who(afterwards, text)).toBeNull();
  }
  expect(await who(afterwards, await logIn(app))).toBe("team");
});

/** `/?name=` returns how long to wait; `/wrong?name=` counts a wrong try; `/device` makes the browser a known one. */
async function countingApp(): Promise<FastifyInstance> {
  const app = fastify({ trustProxy: true });
  await openCookies(app, "random", SETTINGS);
  const attempts = await createAttempts(app);
  const nameOf = (query: unknown) => String((query as { name?: string }).name);
  app.get("/", async (request) => ({ waitMs: await attempts.waitMs(request, nameOf(request.query)) }));
  app.get("/wrong", async (request) => {
    await attempts.failed(request, nameOf(request.query));
    return "";
  });
  app.get("/device", async (request) => {
    request.device.set("id", "one");
    return "";
  });
  return app;
}

test("names, addresses and known browsers have budgets apart", async () => {
  const app = await countingApp();
  const from = (address: string, more: Partial<InjectOptions> = {}): Partial<InjectOptions> => ({
    headers: { "x-forwarded-for": address },
    ...more,
  });
  const waits = async (name: string, options: Partial<InjectOptions>) =>
    (await app.inject({ url: `/?name=${name}`, ...options })).json<{ waitMs: number }>().waitMs > 0;
  const fail = async (name: string, options: Partial<InjectOptions>) =>
    void (await app.inject({ url: `/wrong?name=${name}`, ...options }));
  const known = { cookies: { "earshot-device": (await app.inject("/device")).cookies[0]?.value ?? "" } };

  for (let i = 0; i < 5; i++) {
    expect(await waits("team", from("10.0.0.1"))).toBe(false);
    await fail("team", from("10.0.0.1"));
  }
  expect(await waits("team", from("10.0.0.1"))).toBe(true);
  expect(await waits("another", from("10.0.0.1"))).toBe(true);
  expect(await waits("team", from("10.0.0.2"))).toBe(false);
  expect(await waits("team", from("10.0.0.1", known))).toBe(false);

  // An attacker with many addresses leaves each address two attempts at the name, and locks nobody out.
  for (let i = 0; i < 45; i++) await fail("team", from(`10.1.0.${i}`));
  for (let i = 0; i < 2; i++) {
    expect(await waits("team", from("10.0.0.2"))).toBe(false);
    await fail("team", from("10.0.0.2"));
  }
  expect(await waits("team", from("10.0.0.2"))).toBe(true);
  expect(await waits("another", from("10.0.0.2"))).toBe(false);
  expect(await waits("team", from("10.0.0.2", known))).toBe(false);

  // A known browser has the same number of guesses as others.
  for (let i = 0; i < 5; i++) await fail("team", from("10.0.0.3", known));
  expect(await waits("team", from("10.0.0.3", known))).toBe(true);
  expect(await waits("another", from("10.0.0.3"))).toBe(false);

  // Of IPv6, one network is one caller.
  for (let i = 0; i < 5; i++) await fail("new", from(`2001:db8::${i + 1}`));
  expect(await waits("new", from("2001:db8::ffff"))).toBe(true);
  expect(await waits("new", from("2001:db8:1::1"))).toBe(false);
});
