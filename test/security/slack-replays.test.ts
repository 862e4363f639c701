import { createHmac } from "node:crypto";
import { request } from "node:http";
import { fastify } from "fastify";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { interactionRoutes } from "../../src/console/interaction-routes.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { HOUR, MINUTE, SECOND } from "../../src/lib/instant.ts";
import { uuid7 } from "../../src/lib/uuid7.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import { createSlackActions } from "../../src/monitor/notify/notifiers/slack/slack-actions.ts";
import { slackApps } from "../../src/monitor/notify/notifiers/slack/slack-config.ts";
import { createSlackEndpoint } from "../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { slack } from "../../src/monitor/notify/notifiers/slack.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { createStores, type Stores } from "../../src/monitor/store/stores.ts";
import { useStores } from "../use-stores.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const wall = createManualClock(NOW);
const clock = createManualClock(NOW);
const log = pino({ level: "silent" });
const apps = slackApps([
  slack.config.parse({ kind: "slack", channel: "#alerts", token: "xoxb-none", signingSecret: SECRET }),
]);

const { stores, url } = await useStores();
const second = openDatabase({ url, onError: () => undefined });
afterAll(() => second.close());

/** The endpoint as each process has it, with connections of its own. */
async function startEndpoint(own: Stores): Promise<string> {
  const handle = createSlackActions({ actions: createAlertActions({ stores: own, clock }), log });
  const app = fastify();
  interactionRoutes(app, [createSlackEndpoint({ apps, handle, wall, log })]);
  afterAll(() => app.close());
  return app.listen({ host: "127.0.0.1", port: 0 });
}
let processes: readonly string[] = [];
beforeAll(async () => {
  processes = [await startEndpoint(stores), await startEndpoint(createStores(second.db))];
});

let alert: Alert;
beforeEach(async () => {
  for (const one of [wall, clock]) one.set(NOW);
  const queryId = uuid7(NOW);
  await stores.queries.register(
    [{ projectId: "p", queryId, name: "Acme", projectName: "Brands", timezone: "UTC" }],
    ...([NOW, NOW] as const),
  );
  alert = {
    ...{ id: uuid7(NOW), projectId: "p", rule: "negative", fingerprint: `negative ${queryId}`, queryId },
    ...{ queryName: "Acme", severity: "warning", state: "firing", labels: {}, handling: {}, values: {} },
    ...{ openedAt: NOW, firedAt: NOW, lastSeenAt: NOW, windowFrom: NOW, windowTo: NOW, resolvedAt: null },
    ...{ notifyCount: 1, renotifyReason: null, mentions: 1, because: "negative" },
  };
  await stores.alerts.save([alert]);
});

/** A click as Slack signs and sends it; `at`: when it was clicked. */
function signed(action: object, at = NOW): { body: string; headers: Record<string, string> } {
  const payload = {
    ...{
      type: "block_actions",
      user: { id: "U0ANN", name: "Ann" },
      team: { id: "T1" },
      channel: { id: "C1" },
    },
    ...{ message: { ts: "1771864000.000100" } },
    actions: [{ block_id: `earshot-alert:${alert.id}`, action_ts: `${at / SECOND}.000100`, ...action }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return { body, headers: sign(body, String(at / SECOND)) };
}

function sign(body: string, timestamp: string): Record<string, string> {
  const hash = createHmac("sha256", SECRET).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    "content-type": "application/x-www-form-urlencoded",
    ...{ "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${hash}` },
  };
}

/** Sends the bytes as they are, with headers that may come twice. */
async function post(
  to: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${processes[to]}/slack/interactions`, { method: "POST", headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    asked.on("error", reject).end(body);
  });
}

const silences = async () => stores.silences.list(clock.now(), true);
const history = async () => (await stores.alerts.events("p", alert.id)).map(({ what }) => what);
const SILENCE = { action_id: "earshot-silence", selected_option: { value: "4h" } };

describe("a request that is sent again", () => {
  test("a silence is set once, however often and wherever its request comes within five minutes", async () => {
    const before = (await silences()).length;
    const { body, headers } = signed(SILENCE);
    const storm = await Promise.all(Array.from({ length: 20 }, (_, n) => post(n % 2, body, headers)));
    expect(storm).toEqual(Array(20).fill(200));
    for (const one of [wall, clock]) one.set(NOW + 4 * MINUTE);
    expect(await post(1, body, headers)).toBe(200);
    expect(await silences()).toHaveLength(before + 1);
    expect((await silences()).map(({ endsAt }) => endsAt)).not.toContain(NOW + 4 * MINUTE + 4 * HOUR);
    expect(await history()).toEqual(["SilencedBy"]);
  });

  test("a click that somebody has undone is not done again", async () => {
    const assign = signed({ action_id: "earshot-acknowledge" });
    expect(await post(0, assign.body, assign.headers)).toBe(200);
    await createAlertActions({ stores, clock }).act(
      alert.id,
      { do: "resolve" },
      { via: "page", login: "bo", typed: null },
    );
    const done = await history();
    expect(done).toHaveLength(2);
    expect(await post(1, assign.body, assign.headers)).toBe(200);
    expect(await history()).toEqual(done);
  });

  test.each([
    [-5 * MINUTE, 200],
    [-5 * MINUTE - SECOND, 401],
    [5 * MINUTE, 200],
    [5 * MINUTE + SECOND, 401],
    [-24 * HOUR, 401],
  ])("signed %i ms from now it is answered with %i", async (offset, status) => {
    const { body, headers } = signed({ action_id: "earshot-acknowledge" }, NOW + offset);
    expect(await post(0, body, headers)).toBe(status);
    expect(await history()).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe("a request that nobody signed like this is refused, and does nothing", () => {
  const right = () => signed(SILENCE);
  test.each<[string, () => [string | Buffer, Record<string, string | string[]>]]>([
    ["another body", () => [`${right().body}&a=b`, right().headers]],
    [
      "the same body written in another way",
      () => [right().body.replace("payload", "%70ayload"), right().headers],
    ],
    ["a second payload", () => [`payload=%7B%7D&${right().body}`, right().headers]],
    ["no body", () => ["", right().headers]],
    [
      "bytes that are no UTF-8 behind it",
      () => [Buffer.concat([Buffer.from(right().body), Buffer.from([0xff])]), right().headers],
    ],
    [
      "a byte order mark before it",
      () => [Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(right().body)]), right().headers],
    ],
    ["UTF-16", () => [Buffer.from(right().body, "utf16le"), right().headers]],
    ["the signature twice", () => [right().body, twice("x-slack-signature")]],
    ["the timestamp twice", () => [right().body, twice("x-slack-request-timestamp")]],
    ["no signature", () => [right().body, without("x-slack-signature")]],
    ["no timestamp", () => [right().body, without("x-slack-request-timestamp")]],
    ["an empty signature", () => [right().body, { ...right().headers, "x-slack-signature": "" }]],
    ["the signature without its version", () => [right().body, changed((text) => text.slice(3))]],
    ["the signature in capitals", () => [right().body, changed((text) => text.toUpperCase())]],
    ["a signature of another length", () => [right().body, changed((text) => text.slice(0, -1))]],
    ["another version", () => [right().body, changed((text) => text.replace("v0", "v1"))]],
    ["a timestamp with a sign", () => [right().body, timed(`+${NOW / SECOND}`)]],
    ["a timestamp in other digits", () => [right().body, timed("\u0661\u0667")]],
    ["a timestamp in hexadecimal", () => [right().body, timed(`0x${(NOW / SECOND).toString(16)}`)]],
    ["a timestamp of 40 digits", () => [right().body, timed("9".repeat(40))]],
  ])("%s", async (_name, make) => {
    const before = (await silences()).length;
    const [body, headers] = make();
    expect(await post(0, body, headers)).toBe(401);
    expect(await silences()).toHaveLength(before);
    expect(await history()).toEqual([]);
  });

  const twice = (name: string) => {
    const { headers } = right();
    return { ...headers, [name]: [headers[name] ?? "", headers[name] ?? ""] };
  };
  const without = (name: string) =>
    Object.fromEntries(Object.entries(right().headers).filter(([key]) => key !== name));
  const changed = (how: (signature: string) => string) => {
    const { headers } = right();
    return { ...headers, "x-slack-signature": how(headers["x-slack-signature"] ?? "") };
  };
  /** Signed for real, with an odd timestamp. */
  const timed = (timestamp: string) =>
    Object.fromEntries(
      Object.entries(sign(right().body, timestamp)).map(([name, value]) => [
        name,
        Buffer.from(value).toString("latin1"),
      ]),
    );
});

test("signed by Slack and still no click: refused or left alone, and never an error", async () => {
  const bodies = [
    ...["", "payload=", "payload=null", "payload=%5B%5D", "payload=%", "x=1", "payload=%00", "payload=%ff"],
    `payload=${"%5B".repeat(60_000)}`,
    `payload=${encodeURIComponent(JSON.stringify({ type: "block_actions", actions: [{ __proto__: 1 }] }))}`,
  ];
  const answers = await Promise.all(bodies.map((body) => post(0, body, sign(body, String(NOW / SECOND)))));
  expect(new Set(answers)).toEqual(new Set([400]));
  expect(await history()).toEqual([]);
});
