import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import { type Earshot, startEarshot } from "../../src/monitor/monitor.ts";
import { createSlackActions } from "../../src/monitor/notify/notifiers/slack/slack-actions.ts";
import { ROLES } from "../../src/monitor/roles.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";

const TOKEN = "a-token-of-sixteen";
const closing = createClosing();
const log = pino({ level: "silent" });
let slack: FakeSlack;
let client: pg.Client;
let earshot: Earshot;
let press: ReturnType<typeof createSlackActions>;

beforeAll(async () => {
  const database = await createTestDatabase();
  closing.add(database.drop);
  const folder = await mkdtemp(join(tmpdir(), "earshot-corrected-"));
  closing.add(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, "cross.yaml"),
    "title: Cross\ndescription: x\nseverity: info\nwhen: { sentiment: negative }\n",
  );
  slack = await startFakeSlack();
  closing.add(slack.close);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  closing.add(() => client.end());
  const config = await parseConfig({
    listen: {
      queries: [{ name: "Delta", text: "delta" }],
      categories: [
        {
          name: "Service",
          subcategories: [
            { name: "Rude", text: "horrible" },
            { name: "Slow", text: "slow" },
          ],
        },
      ],
      feeds: [{ kind: "push", token: TOKEN }],
      pollEvery: "200ms",
    },
    enrich: { sentiment: "learned" },
    receivers: [
      {
        ...{ name: "comms", kind: "slack", channel: "#alerts", token: slack.token, apiUrl: slack.apiUrl },
        ...{ appToken: slack.appToken, postEvery: "0s", editEvery: "0s" },
      },
    ],
    routes: [{ receivers: ["comms"] }],
    rules: folder,
  });
  const parts = { databaseUrl: database.url, fetches: true, clock: systemClock, log, port: 0 };
  const listening = await withListening(config, parts, closing);
  const fed = listening.configOf(config);
  earshot = await startEarshot({
    config: { ...fed, sources: [{ ...fed.sources[0], updatesEvery: SECOND }] },
    databaseUrl: database.url,
    queue: { kind: "postgres", url: database.url, schema: "earshot_queue" },
    ...{ clock: systemClock, log, roles: ROLES, sweepEveryMs: 200, checksHealth: false },
    ...listening.forMonitor,
  });
  closing.add(earshot.stop);
  const correct = listening.forMonitor.corrections?.correct;
  const actions = createAlertActions({ stores: earshot.stores, clock: systemClock, correct });
  press = createSlackActions({ actions, log });
  await listening.push?.take(TOKEN, { id: 1, text: "I hate Delta. Horrible, the worst, awful service." });
}, 60_000);
afterAll(() => closing.close());

const shown = async () => {
  const [message] = (await slack.messages()).filter(({ threadTs }) => threadTs === null);
  return message;
};

async function stored() {
  const { rows } = await client.query<{ query: string; mention: string; sentiment: string }>(
    `select query_id as query, resource_id as mention, m.sentiment from local_api.mention m
     join local_api.query q on q.id = query_id where q.name = 'Delta' and superseded_at = 'infinity'`,
  );
  return rows[0];
}

test("who presses that a mention is not negative corrects it at the feed, is named in the message, and teaches", async () => {
  await until("Slack has the alert", async () => (await shown()) !== undefined, { withinMs: 30_000 });
  const message = await shown();
  if (message === undefined) throw new Error("there is no message");
  const [query, mention] = [(await stored())?.query, (await stored())?.mention ?? ""];
  const choices = JSON.stringify(message.blocks);
  expect(choices).toContain("Not negative: neutral");
  expect(choices).not.toContain("Not negative: negative");
  const option = (sentiment: string, of = `feeds-${query}`, which = mention) =>
    JSON.stringify([sentiment, of, which]);
  const app = { token: slack.token, apiUrl: slack.apiUrl, appToken: slack.appToken };
  const choose = (value: string, at: string, menu = "earshot-correct") =>
    press(slack.press(message, menu, { option: value, at }), app);

  // A click that Slack would never send changes nothing.
  for (const [n, wrong] of [
    option("neutral", "feeds-0"),
    option("neutral", undefined, "nothing"),
    option("angry"),
    "neutral",
  ].entries())
    expect((await choose(wrong, `1771864900.00${n}`)).outcome).toMatch(/Refused|Unfit/);
  expect((await stored())?.sentiment).toBe("negative");

  expect(await choose(option("neutral"), "1771864901.0001")).toEqual({ outcome: "Done" });
  expect(await choose(option("neutral"), "1771864901.0001")).toEqual({ outcome: "Known" });
  expect((await stored())?.sentiment).toBe("neutral");
  await until(
    "the message says who corrected it",
    async () => {
      const now = JSON.stringify((await shown())?.blocks);
      return (
        now.includes("Sentiment corrected to neutral by *Ann Example (U0ANN)*") &&
        now.includes("Not neutral: negative")
      );
    },
    { withinMs: 30_000 },
  );
  await until(
    "the monitor has read it",
    async () => {
      const { rows } = await client.query("select sentiment from earshot.mentions");
      return rows.some(({ sentiment }) => sentiment === "neutral");
    },
    { withinMs: 30_000 },
  );
  const { rows: audit } = await client.query(
    "select action, target, outcome, detail, actor->>'login' as who, origin from earshot.audit where outcome = 'Done'",
  );
  expect(audit).toEqual([
    {
      ...{ action: "mention.sentiment", target: mention, outcome: "Done", detail: "neutral" },
      ...{ who: "Ann Example (U0ANN)", origin: "Slack" },
    },
  ]);
  const [alert] = await earshot.stores.alerts.openedBetween(0, Number.MAX_SAFE_INTEGER);
  const events = await earshot.stores.alerts.events(alert?.projectId ?? "", alert?.id ?? "");
  expect(events.map(({ what, detail }) => `${what} ${detail}`)).toContain(
    "SentimentCorrected by Ann Example (U0ANN), to neutral",
  );
});

test("who says what a mention is about corrects its categories", async () => {
  const menuOf = (message: Awaited<ReturnType<typeof shown>>) => {
    const blocks = (message?.blocks ?? []) as { elements?: { action_id?: string; options?: Option[] }[] }[];
    const elements = blocks.flatMap(({ elements: each }) => each ?? []);
    return elements.find(({ action_id: id }) => id === "earshot-categorize")?.options ?? [];
  };
  interface Option {
    readonly text: { readonly text: string };
    readonly value: string;
  }
  const app = { token: slack.token, apiUrl: slack.apiUrl, appToken: slack.appToken };
  const choose = async (text: string, at: string) => {
    const message = await shown();
    const option = menuOf(message).find((one) => one.text.text === text)?.value ?? "";
    if (message === undefined) throw new Error("there is no message");
    return press(slack.press(message, "earshot-categorize", { option, at }), app);
  };
  const inMonitor = async () => {
    const { rows } = await client.query<{ names: string }>(
      "select string_agg(c->>'name', ',') as names from earshot.mentions, json_array_elements(body->'categories') c",
    );
    return rows[0]?.names;
  };
  const says = (text: string) => async () => JSON.stringify((await shown())?.blocks).includes(text);
  const within = { withinMs: 30_000 };
  await until("the menu has both", async () => menuOf(await shown()).length === 2, within);
  expect(menuOf(await shown()).map(({ text }) => text.text)).toEqual(["Not Service: Rude", "Service: Slow"]);
  expect(await choose("Service: Slow", "1771864902.0001")).toEqual({ outcome: "Done" });
  await until("the message says it", says("Category corrected to Service: Slow by *Ann Example"), within);
  await until("the monitor has both", async () => (await inMonitor()) === "Rude,Slow", within);
  await until("the menu follows", says("Not Service: Slow"), within);
  expect(await choose("Not Service: Rude", "1771864903.0001")).toEqual({ outcome: "Done" });
  await until("the monitor has one", async () => (await inMonitor()) === "Slow", within);
  const { rows } = await client.query("select detail from earshot.audit where action = 'mention.category'");
  expect(rows.map(({ detail }) => detail)).toEqual(["Service: Slow", "not Service: Rude"]);
});
