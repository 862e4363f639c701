import { type FastifyInstance, fastify, type InjectOptions } from "fastify";
import { expect, test } from "vitest";
import { createAttempts } from "../../src/console/auth/attempts.ts";
import { createSessions, openCookies, SESSION_MS } from "../../src/console/auth/sessions.ts";
import { createUsers } from "../../src/console/auth/users.ts";
import { type ConsoleSettings, checkSettings } from "../../src/console/common/settings.ts";
import { createManualClock, type ManualClock } from "../../src/lib/clock.ts";
import { useStores } from "../use-stores.ts";

const LOGIN = { username: "team", password: "correct horse" };
const SETTINGS: ConsoleSettings = { host: "127.0.0.1", port: 0, timezone: "UTC" };
const NOON = Date.parse("2026-03-03T12:00:00Z");

test("a page on a network without a login is refused, with what to do", async () => {
  const check = (settings: Partial<ConsoleSettings>, hasUsers: boolean) =>
    checkSettings({ ...SETTINGS, ...settings }, async () => hasUsers);
  for (const host of ["0.0.0.0", "::", "192.168.1.7", "earshot.example"]) {
    await expect(check({ host }, false)).rejects.toThrow("has no users who could log in");
    await check({ host, login: LOGIN }, false);
    await check({ host }, true);
  }
  for (const host of ["127.0.0.1", "localhost", "::1"]) await check({ host }, false);
});

const { stores } = await useStores();

/** A process with only the cookies: `/in` logs in, `/who` returns the user, `/out` closes the session. */
async function aProcess(parts: {
  readonly clock: ManualClock;
  readonly password?: string;
  readonly secret?: string;
}): Promise<FastifyInstance> {
  const { clock: wall, password = LOGIN.password, secret = "random" } = parts;
  const app = fastify();
  await openCookies(app, secret, SETTINGS);
  const settings = { ...SETTINGS, login: { ...LOGIN, password } };
  const users = await createUsers(settings, { stored: stores.users, secret, wall });
  const sessions = createSessions(users, { stored: stores.sessions, wall });
  app.get("/in", async (request) => {
    const user = await users.withPassword(LOGIN.username, password);
    if (user !== null) await sessions.open(request, user);
    return "in";
  });
  app.get("/who", async (request) => ({ who: (await sessions.find(request))?.user.name ?? null }));
  app.get("/out", async (request) => {
    const found = await sessions.find(request);
    if (found !== null) await sessions.close(found.session);
    return "out";
  });
  return app;
}

async function logIn(app: FastifyInstance): Promise<string> {
  const [session] = (await app.inject("/in")).cookies.filter(({ name }) => name === "earshot");
  return session?.value ?? "";
}

const who = async (app: FastifyInstance, earshot: string) =>
  (await app.inject({ url: "/who", cookies: { earshot } })).json<{ who: string | null }>().who;

test("a session is open until it expires, in every process of the same login", async () => {
  const parts = { clock: createManualClock(NOON) };
  const [one, other] = await Promise.all([aProcess(parts), aProcess(parts)]);
  const cookie = await logIn(one);
  expect(await who(other, cookie)).toBe("team");
  parts.clock.advance(SESSION_MS);
  expect(await who(one, cookie)).toBeNull();
});

test("a session that was changed, or made under another password or secret, is not open", async () => {
  const parts = { clock: createManualClock(NOON) };
  const app = await aProcess(parts);
  const cookie = await logIn(app);
  expect(await who(await aProcess({ ...parts, password: "battery staple" }), cookie)).toBeNull();
  expect(await who(await aProcess({ ...parts, secret: "another" }), cookie)).toBeNull();
  for (const text of ["", ";", "x", `A${cookie}`, cookie.slice(1), cookie.replace(";", "")]) {
    expect(await who(app, text)).toBeNull();
  }
});

test("a session that logged out is closed for every process, and after a restart, however its cookie is written", async () => {
  const parts = { clock: createManualClock(NOON) };
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
