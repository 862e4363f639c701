import { createTransport } from "nodemailer";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createLocalInbox, type LocalInbox } from "../../src/console/inbox/create-local-inbox.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { createLocalApi, type LocalApi } from "../../src/listening-api/create-local-api.ts";
import { createMemoryInboxStore } from "../fakes/memory-inbox-store.ts";
import { type Fixture, startFixture } from "../listening-api/fixture.ts";
import { until } from "../until.ts";
import { type Held, holdMany, holdOpen, letGo, portOf } from "./hold-open.ts";

/** Short, so that a test sees the end; the default is half a minute. */
const TIMEOUT_MS = 1_000;
/** Two thousand connections take some five seconds, and on a machine with a load of twenty half a minute. */
const MANY_MS = 120_000;
const WITHIN = { withinMs: 10_000 };
const HALF_BODY = [
  "POST /oauth/token HTTP/1.1",
  "Host: localhost",
  "Content-Type: application/x-www-form-urlencoded",
  "Content-Length: 3000",
  "",
  "u",
].join("\r\n");

let held: readonly Held[] = [];
afterEach(() => {
  letGo(held);
  held = [];
});

describe("the local Listening API", () => {
  let fixture: Fixture;
  let api: LocalApi;
  let url: string;
  beforeAll(async () => {
    fixture = await startFixture();
    const { database, clock } = fixture;
    const log = createLog({ level: "silent" });
    const options = { pool: database.pool, clock, log, signingSecret: "for tests" };
    api = createLocalApi({ ...options, requestTimeoutMs: TIMEOUT_MS });
    url = await api.listen({ host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await api.close();
    await fixture.stop();
  });

  it("answers half a body with 408, and lets go of who never closes its own half", async () => {
    const half = holdOpen(portOf(url), HALF_BODY);
    held = [half];
    await half.gone;
    expect(half.answer()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    const isRid = async () => (await connections(api)) === 0;
    await until("the connection is let go of", isRid, WITHIN);
  });

  it("lets go of half a header, and of a connection that says nothing", async () => {
    held = [holdOpen(portOf(url), "GET /me HTTP/1.1\r\nHost: loc"), holdOpen(portOf(url), "")];
    await Promise.all(held.map(({ gone }) => gone));
  });

  it(
    "answers others while 2,000 half requests are held, holds few of them, and is rid of all soon",
    async () => {
      held = await holdMany(portOf(url), HALF_BODY, 2_000);
      const answer = await fetch(`${url}/me`, { headers: { authorization: `bearer ${fixture.token}` } });
      expect(answer.status).toBe(200);
      expect(await connections(api)).toBeLessThanOrEqual(500);
      await Promise.all(held.map(({ gone }) => gone));
    },
    MANY_MS,
  );
});

describe("the local Slack and mailbox", () => {
  let inbox: LocalInbox;
  beforeAll(async () => {
    inbox = await createLocalInbox(
      {
        store: createMemoryInboxStore(),
        clock: createManualClock(Date.UTC(2026, 1, 23)),
        log: createLog({ level: "silent" }),
      },
      { token: "xoxb-local", requestTimeoutMs: TIMEOUT_MS },
    );
  });
  afterAll(() => inbox.close());

  it("ends half a call to Slack with 408", async () => {
    const half = holdOpen(
      portOf(inbox.slackApiUrl),
      HALF_BODY.replace("/oauth/token", "/api/chat.postMessage"),
    );
    held = [half];
    await half.gone;
    expect(half.answer()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it(
    "takes a message while 2,000 half calls are held",
    async () => {
      held = await holdMany(portOf(inbox.slackApiUrl), HALF_BODY.replace("/oauth/token", "/api/x"), 2_000);
      const answer = await fetch(`${inbox.slackApiUrl}chat.postMessage`, {
        method: "POST",
        headers: { authorization: "Bearer xoxb-local", "content-type": "application/json" },
        body: JSON.stringify({ channel: "#alerts", text: "one" }),
      });
      expect(await answer.json()).toMatchObject({ ok: true });
      await Promise.all(held.map(({ gone }) => gone));
    },
    MANY_MS,
  );

  it("takes a mail while 300 sessions say nothing, and ends those", async () => {
    held = await holdMany(inbox.smtp.port, "", 300);
    // The oldest were given up for the newest, which have been greeted.
    await until("the last is greeted", () => held.at(-1)?.answer().startsWith("220") === true, WITHIN);
    const sent = await createTransport({ ...inbox.smtp, secure: false }).sendMail({
      from: "a@brand.example",
      to: "b@brand.example",
      text: "one",
    });
    expect(sent.accepted).toEqual(["b@brand.example"]);
    await Promise.all(held.map(({ gone }) => gone));
  });

  it("ends a mail of which a byte comes now and then", async () => {
    const slow = holdOpen(inbox.smtp.port, "");
    held = [slow];
    const said = (code: string) => until(`it says ${code}`, () => slow.answer().includes(`${code} `), WITHIN);
    await said("220");
    slow.socket.write("EHLO a\r\nMAIL FROM:<a@brand.example>\r\nRCPT TO:<b@brand.example>\r\nDATA\r\n");
    await said("354");
    const drip = setInterval(() => slow.socket.write("x"), TIMEOUT_MS / 5);
    await slow.gone;
    clearInterval(drip);
  });
});

function connections(api: LocalApi): Promise<number> {
  return new Promise((resolve, reject) =>
    api.app.server.getConnections((error, n) => (error === null ? resolve(n) : reject(error))),
  );
}
