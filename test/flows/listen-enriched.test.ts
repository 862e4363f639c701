import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import type { PushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { startEarshot } from "../../src/monitor/monitor.ts";
import { ROLES } from "../../src/monitor/roles.ts";
import { type FakeChatServer, startFakeChatServer } from "../fakes/chat-server.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";

const TOKEN = "a-token-of-sixteen";
const closing = createClosing();
let chat: FakeChatServer;
let slack: FakeSlack;
let client: pg.Client;
let push: PushEndpoint;
let start: (about: string) => Promise<void>;
let stop: () => Promise<void>;

const SCORES: Readonly<Record<string, number>> = { flight: 0.9, river: 0.1 };

beforeAll(async () => {
  const database = await createTestDatabase();
  closing.add(database.drop);
  const folder = await mkdtemp(join(tmpdir(), "earshot-enriched-"));
  closing.add(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, "cross.yaml"),
    "title: Cross\ndescription: x\nseverity: info\nwhen: { sentiment: negative, relevance: { atLeast: 0.6 } }\n",
  );
  chat = await startFakeChatServer();
  closing.add(chat.close);
  chat.reply(({ system, texts }) =>
    texts
      .map(({ mark, text }) => {
        const score = Object.entries(SCORES).find(([word]) => text.includes(word))?.[1] ?? 0;
        return system.includes("a number from 0")
          ? `${mark} ${score} it says so`
          : `${mark} ${text.includes("awful") ? "negative" : "positive"}`;
      })
      .join("\n"),
  );
  slack = await startFakeSlack();
  closing.add(slack.close);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  closing.add(() => client.end());
  const endpoint = { endpoint: chat.endpoint, model: "judge-1" };
  start = async (about) => {
    const config = await parseConfig({
      listen: {
        queries: [{ name: "Delta", text: "delta", about }],
        feeds: [{ kind: "push", token: TOKEN }],
        pollEvery: "200ms",
      },
      enrich: { sentiment: endpoint, relevance: endpoint },
      receivers: [
        {
          ...{ name: "comms", kind: "slack", channel: "#alerts", token: slack.token, apiUrl: slack.apiUrl },
          postEvery: "0s",
        },
      ],
      routes: [{ receivers: ["comms"] }],
      rules: folder,
    });
    const inside = createClosing();
    stop = inside.close;
    const log = pino({ level: "silent" });
    const parts = { databaseUrl: database.url, fetches: true, clock: systemClock, log, port: 0 };
    const listening = await withListening(config, parts, inside);
    if (listening.push === null) throw new Error("there is a push feed");
    push = listening.push;
    const fed = listening.configOf(config);
    const earshot = await startEarshot({
      config: { ...fed, sources: [{ ...fed.sources[0], updatesEvery: SECOND }] },
      databaseUrl: database.url,
      queue: { kind: "postgres", url: database.url, schema: "earshot_queue" },
      ...{ clock: systemClock, log, roles: ROLES, sweepEveryMs: 200, checksHealth: false },
    });
    inside.add(earshot.stop);
  };
  await start("the airline, not the river");
  closing.add(() => stop());
}, 60_000);
afterAll(() => closing.close());

async function mentionOf(word: string) {
  const { rows } = await client.query(
    `select sentiment, classifications, version from local_api.mention m join local_api.query q on q.id = query_id
     where q.name = 'Delta' and superseded_at = 'infinity' and full_text like $1`,
    [`%${word}%`],
  );
  return rows[0] as { sentiment: string | null; classifications: string[]; version: number } | undefined;
}

test("a rule alerts when sentiment and relevance have arrived, and not about something else", async () => {
  await push.take(TOKEN, [
    { id: 1, text: "The delta river is awful today" },
    { id: 2, text: "An awful flight with Delta" },
  ]);
  await until("Slack has a message", async () => (await slack.messages()).length > 0, { withinMs: 30_000 });
  await until("both are judged", async () => (await mentionOf("river"))?.classifications.length === 2, {
    withinMs: 30_000,
  });
  const said = JSON.stringify(await slack.messages());
  expect(said).toContain("flight");
  expect(said).not.toContain("river");
});

test("a changed text is judged anew", async () => {
  expect(await mentionOf("flight")).toMatchObject({ sentiment: "negative" });
  await push.take(TOKEN, { id: 2, text: "A wonderful flight with Delta" });
  await until("it is judged", async () => (await mentionOf("wonderful"))?.sentiment === "positive", {
    withinMs: 30_000,
  });
});

test("a query that means something else is judged anew, after a restart", async () => {
  await stop();
  const asked = chat.calls.length;
  await start("the river");
  const texts = () =>
    chat.calls.slice(asked).flatMap((call) => (call.system.includes('"the river"') ? call.texts : []));
  await until("both are asked about again", async () => texts().length === 2, { withinMs: 30_000 });
});
