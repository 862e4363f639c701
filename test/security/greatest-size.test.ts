import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fastify } from "fastify";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSetupView } from "../../src/admin/setup/open-setup-view.ts";
import { SETUP_SCHEMAS } from "../../src/cli/schemas.ts";
import { interactionRoutes } from "../../src/console/interaction-routes.ts";
import { rss } from "../../src/feeds/kinds/rss.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { type BounceResult, takeBounce } from "../../src/monitor/notify/deliver/take-bounce.ts";
import { slackApps } from "../../src/monitor/notify/notifiers/slack/slack-config.ts";
import { createSlackEndpoint } from "../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { slack } from "../../src/monitor/notify/notifiers/slack.ts";
import { startTestConsole } from "../console/start-test-console.ts";
import { flood, frame, handshake, OPCODE, startLyingStream } from "../fakes/lying-stream.ts";
import { feedsOf, startFeeding } from "../feeds/feeding.ts";
import { startFixture } from "../listening-api/fixture.ts";
import { aVisitor, tokenIn } from "./console-visitor.ts";
import { greatestBodies } from "./greatest-bodies.ts";
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
const folder = await mkdtemp(join(tmpdir(), "earshot-greatest-"));
const rulesWeb = await startTestConsole(NOW, {
  folder,
  deps: {
    setup: openSetupView({
      ...{ file: join(folder, "earshot.yaml"), configured: null, timezone: "UTC", schemas: SETUP_SCHEMAS },
      ...{ clock: systemClock, log: pino({ level: "silent" }), next: "Restart it." },
    }),
  },
  settings: { login: { username: "ann", password: "a long secret" }, editRules: true, admins: ["ann"] },
});
const visitor = aVisitor(rulesWeb.url);
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "bluesky", hosts: [liar.url] }),
  queries: { Acme: "acme", Other: '"a b"~3 OR xy*' },
});
afterAll(async () => {
  await Promise.all([web.close(), rulesWeb.close(), local.stop(), liar.close()]);
  await rm(folder, { recursive: true });
});

beforeAll(async () => {
  // What the first call loads and compiles is no work of its input.
  await aVisitor(web.url).logIn("ann", "wrong");
  await visitor.logIn("ann", "a long secret");
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
  const handle = () => Promise.reject(new Error("no click is valid"));
  interactionRoutes(app, [
    createSlackEndpoint({ apps, handle, wall: systemClock, log: pino({ level: "silent" }) }),
  ]);
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

const bodies = await greatestBodies(local);

test.each(bodies.map((body) => [body.name, body] as const))(
  "a call of the local API: %s",
  async (_name, { method, path, body, status }) => {
    const given = body();
    const text = typeof given === "string" ? given : JSON.stringify(given);
    let answered = 0;
    const worst = await worstAnswerWhile(async () => {
      const answer = await fetch(`${localUrl}/projects/${local.account.projectId}/${path}`, {
        ...{ method, body: text },
        headers: { "content-type": "application/json", authorization: `bearer ${local.token}` },
      });
      await answer.text();
      answered = answer.status;
    });
    expect(answered).toBe(status);
    expect(worst).toBeLessThan(MOST_MS);
  },
  60_000,
);

test.each([
  ["different names", Array.from({ length: 2_000 }, (_, n) => `a${n}`).join("&")],
  ["one name again and again", "queryId=1&".repeat(1_400)],
  ["a list of numbers", `queryId=${"1,".repeat(7_000)}`],
  ["marks on a letter", `text=${"%D6%92".repeat(1_100)}${"%D6%91".repeat(1_100)}`],
  ["brackets", `search=${"(".repeat(14_000)}&text=${"%5B".repeat(100)}`],
  ["a date of digits", `startDate=${"2".repeat(7_000)}&from=${"2".repeat(7_000)}`],
])(
  "an address of 14 kB, %s",
  async (_name, question) => {
    const web = aVisitor(rulesWeb.url);
    await web.logIn("ann", "a long secret");
    const worst = await worstAnswerWhile(async () => {
      for (const path of ["/", "/mentions", "/alerts", "/why", "/rules", "/health", "/inbox"])
        expect((await web.ask(`${path}?${question}`)).status).toBeLessThan(500);
      for (const path of ["/projects", `/projects/${local.account.projectId}/data/mentions`, "/nothing"]) {
        const { status } = await fetch(`${localUrl}${path}?${question}`, {
          headers: { authorization: `bearer ${local.token}` },
        });
        expect(status).toBeLessThan(500);
      }
    }, `${rulesWeb.url}/healthz`);
    expect(worst).toBeLessThan(MOST_MS);
  },
  60_000,
);

const long = (most: number) => texts(most).map(([, text]) => text);
const FIELDS = ["brand", "spellings", "not", "rivals", "languages", "addresses", "contact"] as const;

test.each([
  ["commas", ","],
  ["words", "word, "],
  ["brackets", "(("],
  ["quotation marks", '"'],
  ["line ends", "\n"],
  ["addresses", "https://a.example/f "],
  ["colons", ": "],
])("a set-up form of %s", async (_name, part) => {
  const page = await (await visitor.ask("/setup")).text();
  const token = tokenIn(page.split('<main id="main"')[1] ?? "");
  const fields = (most: number) =>
    Object.fromEntries(FIELDS.map((name) => [name, part.repeat(most / part.length)]));
  const worst = await worstAnswerWhile(async () => {
    for (const form of [
      // Each sign has three bytes in a form, and a form has 50 kB at most.
      fields(2_200),
      { ...fields(1_900), brand: "Acme", languages: "en", contact: "", addresses: "https://a.example/feed" },
      { ...fields(90), languages: "en", contact: "a@a.example", addresses: part.repeat(9_900 / part.length) },
    ])
      for (const path of ["/setup", "/setup/write"]) {
        const { status } = await visitor.post(path, { ...form, kinds: "google-news", token });
        expect([200, 403, 409]).toContain(status);
      }
  }, `${rulesWeb.url}/healthz`);
  expect(worst).toBeLessThan(MOST_MS);
});

test("a rule editor, as a form and as a text, of all that grows", async () => {
  const page = await (await visitor.ask("/rules/try")).text();
  const token = tokenIn(page.split('<main id="main"')[1] ?? "");
  const worst = await worstAnswerWhile(async () => {
    for (const text of long(19_900))
      for (const fields of [
        { mode: "yaml", text },
        { mode: "yaml", text, show: "form" },
        {
          mode: "form",
          base: text,
          keyword: text.slice(0, 1_990),
          queries: text.slice(0, 1_990),
          show: "yaml",
        },
      ])
        await visitor.post("/rules/try", { token, days: "14", ...fields });
    await visitor.post("/rules/try", { token, mode: "yaml", text: "[".repeat(400_000) });
  }, `${rulesWeb.url}/healthz`);
  expect(worst).toBeLessThan(MOST_MS);
}, 60_000);

test.each([
  ["addresses that are none", '<outline xmlUrl="https://"/>'],
  ["addresses of 2,000 characters", `<outline xmlUrl="https://a.example/${"x".repeat(1_900)}"/>`],
  ["one long address", `<outline xmlUrl="https://a.example/${"x".repeat(1_999_900)}"/>`],
  ["character references in an address", `<outline xmlUrl="https://a.example/${"&#38;".repeat(399_000)}"/>`],
  ["tags that do not end", "<outline "],
  ["attributes", `<outline ${'a="" '.repeat(390_000)}/>`],
  ["a quotation that does not end", '<outline xmlUrl="'],
  ["comments that do not end", "<!--"],
  ["declarations", "<!ENTITY a '"],
  ["nested outlines", "<outline>"],
])("a list of feeds (OPML) of 2 MB, %s, read while a configuration is loaded", async (_name, part) => {
  const opml = join(folder, "feeds.opml");
  const whole = '<outline xmlUrl="https://a.example/feed"/>';
  await writeFile(opml, whole + part.repeat(Math.floor((1_999_900 - whole.length) / part.length) || 1));
  let planned = 0;
  const worst = await worstAnswerWhile(async () => {
    const feeds = [rss.config.parse({ kind: "rss", opml })];
    planned = planFeeds({ feeds, queries: [] }).length;
  });
  expect(planned).toBeGreaterThan(0);
  expect(worst).toBeLessThan(MOST_MS);
});

test("a bounce of a megabyte of blanks is read in a thread, or given up there", async () => {
  const part = "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n";
  const message = Buffer.from(`${part}${" ".repeat(2_000_000)}x`);
  const read: BounceResult[] = [];
  const worst = await worstAnswerWhile(async () => {
    // What is no bounce reaches no table.
    read.push(await takeBounce({ clock: systemClock } as Parameters<typeof takeBounce>[0], message, null));
  });
  expect(read.map(({ outcome }) => outcome)).toEqual(["NoBounce"]);
  expect(worst).toBeLessThan(MOST_MS);
}, 60_000);

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
