import { createHmac } from "node:crypto";
import { fastify } from "fastify";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { slackRoutes } from "../../src/console/slack-routes.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { slackApps } from "../../src/monitor/notify/notifiers/slack/slack-config.ts";
import { createSlackEndpoint } from "../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { slack } from "../../src/monitor/notify/notifiers/slack.ts";
import { startTestConsole } from "../console/start-test-console.ts";
import { flood, frame, handshake, OPCODE, startLyingStream } from "../fakes/lying-stream.ts";
import { feedsOf, startFeeding } from "../feeds/feeding.ts";
import { startFixture } from "../listening-api/fixture.ts";
import { aVisitor, tokenIn } from "./console-visitor.ts";
import { worstAnswerWhile } from "./worst-answer.ts";

// Each public input at the greatest size that is accepted, and what else the process answers meanwhile. Documents, mails
// and robots.txt are in feeds-cannot-stop-the-loop.test.ts.
const MOST_MS = 500;
const NOW = Date.parse("2026-03-03T14:05:00Z");
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

const web = await startTestConsole(NOW, {
  settings: { login: { username: "ann", password: "a long secret" }, publicUrl: "http://127.0.0.1" },
});
const local = await startFixture();
const localUrl = await local.api.app.listen({ host: "127.0.0.1", port: 0 });
let floods: () => Buffer = () => Buffer.alloc(0);
const liar = await startLyingStream((socket, request) => {
  socket.write(handshake(request));
  return flood(socket, floods);
});
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "bluesky", hosts: [liar.url] }),
  queries: { Acme: "acme", Other: '"a b"~3 OR xy*' },
});
afterAll(async () => {
  await Promise.all([web.close(), local.stop(), liar.close()]);
});

beforeAll(async () => {
  // What the first call loads and compiles is no work of its input.
  const visitor = aVisitor(web.url);
  await visitor.logIn("ann", "wrong");
  await fetch(`${localUrl}/query-validation`, {
    ...{ method: "POST", body: JSON.stringify({ booleanQuery: "a b", languages: [] }) },
    headers: { "content-type": "application/json", authorization: `bearer ${local.token}` },
  });
});

/** Nests and repeats up to so many characters. */
const texts = (most: number): readonly (readonly [string, string])[] => [
  ["brackets", "[".repeat(most)],
  ["different keys", `{${Array.from({ length: most / 12 }, (_, n) => `"k${n}":1`).join(",")}}`],
  ["one long text", JSON.stringify({ text: "x".repeat(most - 20) })],
  ["escapes", `"${"\\u0000".repeat(most / 6 - 1)}"`],
  ["percent signs", "%".repeat(most)],
  ["fields", "a=1&".repeat(most / 4)],
];

test.each(texts(9_900))("a login of %s", async (_name, text) => {
  const visitor = aVisitor(web.url);
  const token = tokenIn(await (await visitor.ask("/login")).text());
  const worst = await worstAnswerWhile(async () => {
    await Promise.all(
      Array.from({ length: 5 }, () =>
        visitor.post("/login", { username: text.slice(0, 3_000), password: text.slice(0, 3_000), token }),
      ),
    );
    await visitor.ask("/login", {
      method: "POST",
      body: text,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  });
  expect(worst).toBeLessThan(MOST_MS);
});

test.each(texts(250_000))("a click in Slack of %s, signed and unsigned", async (_name, text) => {
  const app = fastify();
  const apps = slackApps([
    slack.config.parse({ kind: "slack", channel: "#alerts", token: "xoxb-none", signingSecret: SECRET }),
  ]);
  const interaction = () => Promise.reject(new Error("no click is valid"));
  slackRoutes(
    app,
    createSlackEndpoint({ apps, interaction, wall: systemClock, log: pino({ level: "silent" }) }),
  );
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const timestamp = String(Math.floor(systemClock.now() / SECOND));
  const sign = (body: string) =>
    `v0=${createHmac("sha256", SECRET).update(`v0:${timestamp}:${body}`).digest("hex")}`;
  const worst = await worstAnswerWhile(async () => {
    for (const body of [text, `payload=${text}`])
      for (const signature of [sign(body), "v0=0"])
        await fetch(`${url}/slack/interactions`, {
          ...{ method: "POST", body },
          headers: { "x-slack-request-timestamp": timestamp, "x-slack-signature": signature },
        });
  });
  await app.close();
  expect(worst).toBeLessThan(MOST_MS);
});

test.each(texts(2_000_000))("a body of the local API of %s", async (_name, text) => {
  const worst = await worstAnswerWhile(async () => {
    for (const path of ["/oauth/token", "/mentions", "/query-validation"])
      await fetch(`${localUrl}${path}`, {
        ...{ method: "POST", body: text },
        headers: { "content-type": "application/json", authorization: `bearer ${local.token}` },
      });
  });
  expect(worst).toBeLessThan(MOST_MS);
});

test.each(["(", "a OR ", '"a b"~3 ', "a* ", "NOT ", "a NEAR/3 ", "é", "*?"])(
  "a query of 50,000 characters of %j, checked by the local API",
  async (part) => {
    const booleanQuery = part.repeat(Math.floor(50_000 / part.length));
    const worst = await worstAnswerWhile(() =>
      fetch(`${localUrl}/query-validation`, {
        method: "POST",
        body: JSON.stringify({ booleanQuery, languages: [] }),
        headers: { "content-type": "application/json", authorization: `bearer ${local.token}` },
      }),
    );
    expect(worst).toBeLessThan(MOST_MS);
  },
);

const post = (record: object, rkey: string): string =>
  JSON.stringify({
    ...{ did: "did:plc:a", time_us: (systemClock.now() - 1_000) * 1_000, kind: "commit" },
    commit: { operation: "create", collection: "app.bsky.feed.post", rkey, record },
  });

test.each<[string, (n: number) => string]>([
  ["posts of 990 kB", (n) => post({ text: "acme x ".repeat(141_000) }, `t${n}`)],
  ["brackets of 990 kB", () => "[".repeat(990_000)],
  [
    "nested values of 990 kB",
    (n) => post({ x: JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`) }, `n${n}`),
  ],
  ["different keys", () => `{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join(",")}}`],
  ["small posts, as many as it can", (n) => post({ text: `acme ${n}` }, `s${n}`)],
  ["empty frames", () => ""],
])("a stream that floods with %s", async (_name, make) => {
  let n = 0;
  const several = (): Buffer => {
    const frames: Buffer[] = [];
    for (let size = 0; size < 1_000_000 && frames.length < 1_000; size += frames.at(-1)?.length ?? 0)
      frames.push(frame(OPCODE.text, make(n++)));
    return Buffer.concat(frames);
  };
  // Made before it is measured: the server is in the same process.
  const bytes = [several(), several()];
  floods = () => bytes[n++ % 2] ?? Buffer.alloc(0);
  const before = process.memoryUsage();
  const listener = feeding.listen({ limits: { silentMs: 20_000 } });
  const worst = await worstAnswerWhile(async () => {
    await expect.poll(() => listener.batches.length, { timeout: 25_000 }).toBeGreaterThan(8);
    await listener.stop();
  });
  expect(worst).toBeLessThan(MOST_MS);
  const after = process.memoryUsage();
  expect(after.external + after.arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(
    200_000_000,
  );
});
