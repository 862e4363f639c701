import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addToken } from "../../src/console/auth/access-tokens.ts";
import { addUser, changeUser } from "../../src/console/auth/manage-users.ts";
import { type ConsoleDeps, createConsole } from "../../src/console/create-console.ts";
import { DAY } from "../../src/lib/instant.ts";
import { anAlert } from "../console/make-a-story.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "../fakes/certificate.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const LOGIN = { username: "team", password: "correct horse" };
let web: TestConsole;
let other: TestConsole;

beforeAll(async () => {
  web = await startTestConsole(NOW, { settings: { login: LOGIN } });
  other = await startTestConsole(NOW, {
    settings: { login: LOGIN },
    // A second process on the tables of the first.
    deps: { stored: web.stores, heartbeatMs: 50 },
  });
});
afterAll(async () => {
  await other.close();
  await web.close();
});

async function someoneInside(): Promise<ConsoleVisitor> {
  const visitor = aVisitor(web.url);
  expect((await visitor.logIn(LOGIN.username, LOGIN.password)).status).toBe(303);
  return visitor;
}

async function logOut(visitor: ConsoleVisitor): Promise<Map<string, string>> {
  const cookies = new Map(visitor.cookies);
  const token = tokenIn(await (await visitor.ask("/")).text());
  expect((await visitor.post("/logout", { token })).status).toBe(303);
  return cookies;
}

test("a session that logged out is closed in every process, however its cookie is written", async () => {
  const visitor = await someoneInside();
  const before = aVisitor(other.url, new Map(visitor.cookies));
  expect((await before.ask("/")).status).toBe(200);
  const cookies = await logOut(visitor);
  expect(visitor.cookies.has("earshot")).toBe(false);
  const session = cookies.get("earshot") ?? "";
  for (const text of [session, `${session}.x`, `${session}%3Bx`, `"${session}"`]) {
    for (const { url } of [web, other]) {
      expect((await aVisitor(url, new Map([["earshot", text]])).ask("/")).status).toBe(303);
    }
  }
});

test("a stream ends when its session logs out, and others go on", async () => {
  const [leaver, stayer] = [await someoneInside(), await someoneInside()];
  const [left, stayed] = await Promise.all(
    [leaver, stayer].map(async (one) => (await one.ask("/live", { headers: { accept: "*/*" } })).body),
  );
  await logOut(leaver);
  const text: string[] = [];
  for await (const part of left?.pipeThrough(new TextDecoderStream()) ?? []) text.push(part);
  expect(text.join("")).toContain("retry:");
  await web.stores.alerts.save([anAlert({ openedAt: NOW })]);
  let received = "";
  for await (const part of stayed?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += part;
    if (received.includes("event: alerts")) break;
  }
  expect(received).toContain("event: alerts");
});

test("a stream ends when its session logs out in another process, and others go on", async () => {
  const [leaver, stayer] = [await someoneInside(), await someoneInside()];
  const openThere = async ({ cookies }: ConsoleVisitor) =>
    (await aVisitor(other.url, new Map(cookies)).ask("/live", { headers: { accept: "*/*" } })).body;
  const [left, stayed] = [await openThere(leaver), await openThere(stayer)];
  await logOut(leaver);
  const seen = new TextDecoder();
  let text = "";
  for await (const part of left ?? []) text += seen.decode(part as Uint8Array, { stream: true });
  expect(text).toContain("still here");
  let alive = "";
  for await (const part of stayed ?? []) {
    alive += seen.decode(part as Uint8Array, { stream: true });
    if (alive.split("still here").length > 3) break;
  }
  expect(alive.split("still here").length).toBeGreaterThan(3);
});

test.each([["end"], ["password"]] as const)(
  "a stream ends when its user is changed by `%s`, and others go on",
  async (what) => {
    const parts = { stores: web.stores, namesOfFile: [LOGIN.username], now: Date.now() };
    const name = `eva-${what}`;
    await addUser(parts, { name, role: "viewer", email: null, password: LOGIN.password, by: "test" });
    const open = async (username: string) => {
      const visitor = aVisitor(other.url);
      expect((await visitor.logIn(username, LOGIN.password)).status).toBe(303);
      return (await visitor.ask("/live", { headers: { accept: "*/*" } })).body;
    };
    const [left, stayed] = [await open(name), await open(LOGIN.username)];
    await changeUser(parts, name, what === "end" ? { do: what } : { do: what, password: "another horse" });
    let text = "";
    for await (const part of left?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
    expect(text).toContain("still here");
    let alive = "";
    for await (const part of stayed?.pipeThrough(new TextDecoderStream()) ?? []) {
      alive += part;
      if (alive.split("still here").length > 3) break;
    }
    expect(alive.split("still here").length).toBeGreaterThan(3);
  },
);

test("a stream that a token opened ends with the token, and one that a proxy opened with its user", async () => {
  const behind = await startTestConsole(NOW, {
    settings: { proxy: { header: "X-Forwarded-User", from: ["127.0.0.1"] } },
    deps: { stored: web.stores, heartbeatMs: 50 },
  });
  try {
    const parts = { stores: web.stores, namesOfFile: [LOGIN.username], now: Date.now() };
    for (const name of ["tom", "uma"])
      await addUser(parts, { name, role: "viewer", email: null, password: null, by: "test" });
    const token = await addToken(web.stores, {
      ...{ user: "tom", label: "a program", scope: "read", lengthMs: DAY, now: Date.now() },
    });
    if (token.outcome === "Refused") throw new Error(token.because);
    const open = async (headers: Record<string, string>) => {
      const { status, body } = await aVisitor(behind.url).ask("/live", { headers });
      expect(status).toBe(200);
      return body?.pipeThrough(new TextDecoderStream()) ?? [];
    };
    const streams = {
      tom: await open({ authorization: `Bearer ${token.text}` }),
      uma: await open({ "x-forwarded-user": "uma" }),
    };
    for (const [name, stream] of Object.entries(streams)) {
      let text = "";
      let isEnded = false;
      for await (const part of stream) {
        text += part;
        // Several may come at once.
        if (isEnded || text.split("still here").length < 3) continue;
        isEnded = true;
        await changeUser(parts, name, { do: "end" });
      }
      expect(isEnded).toBe(true);
    }
  } finally {
    await behind.close();
  }
});

test("one reader cannot take the streams of all", async () => {
  const [greedy, modest] = [await someoneInside(), await someoneInside()];
  const open = (visitor: ConsoleVisitor) => visitor.ask("/live", { headers: { accept: "*/*" } });
  const streams = [];
  for (let i = 0; i < 20; i++) streams.push(await open(greedy));
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await open(greedy)).status).toBe(503);
  streams.push(await open(modest));
  expect(streams.at(-1)?.status).toBe(200);
  await Promise.all(streams.map(({ body }) => body?.cancel()));
});

test("the console speaks https where it has a certificate, and makes browsers stay with it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-tls-"));
  const tls = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  await writeFile(tls.cert, CERTIFICATE);
  await writeFile(tls.key, CERTIFICATE_KEY);
  const secure = await startTestConsole(NOW, { settings: { login: LOGIN, tls } });
  try {
    expect(secure.url).toMatch(/^https:/);
    const request = httpsRequest(`${secure.url}/login`, {
      ca: readFileSync(tls.cert),
      servername: "mail.brand.example",
    });
    request.end();
    const [answer] = await once(request, "response");
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");
    expect(answer.headers["set-cookie"][0]).toMatch(
      /^__Host-earshot=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  } finally {
    await secure.close();
    await rm(folder, { recursive: true });
  }
  expect((await aVisitor(web.url).ask("/login")).headers.get("strict-transport-security")).toBeNull();
});

test("a missing certificate is reported with its path", async () => {
  const tls = { cert: "nowhere.pem", key: "nowhere.pem" };
  const settings = { host: "127.0.0.1", port: 0, timezone: "UTC", login: LOGIN, tls };
  await expect(createConsole({} as ConsoleDeps, settings)).rejects.toThrow(
    "web.tls.cert: nowhere.pem cannot be read",
  );
});
