import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import type { InboxMessage } from "../../../src/console/inbox/inbox-store.ts";
import { inventLocalSecrets, LOCAL_ACCOUNT } from "../../../src/console/inbox/local-account.ts";
import { openPage } from "../../../src/console/open-console.ts";
import { demoConfig } from "../../../src/lab/demo/demo.ts";
import { startLocalParts } from "../../../src/lab/local/local-parts.ts";
import { createManualClock } from "../../../src/lib/clock.ts";
import { createClosing } from "../../../src/lib/closing.ts";
import { MINUTE } from "../../../src/lib/instant.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { startEarshot } from "../../../src/monitor/monitor.ts";
import { ROLES } from "../../../src/monitor/roles.ts";
import { openDatabase, openPool } from "../../../src/monitor/store/database.ts";
import { createInboxStore } from "../../../src/monitor/store/inbox.ts";
import { countJobs, settle } from "../../flows/settle.ts";
import { storyTime } from "../../flows/story-time.ts";
import { createStream } from "../../flows/stream.ts";
import { createTestDatabase } from "../../postgres.ts";

const RULE = `
description: Enough mentions in half an hour.
severity: critical
volume: { atLeast: 3, within: 30m }
over: { after: 20h }
`;

const closing = createClosing();
afterAll(() => closing.close());

test("every link in the messages and mails of the demo opens a page of its console", async () => {
  const log = pino({ level: "silent" });
  const clock = createManualClock(storyTime("09:00"));
  const database = await createTestDatabase();
  closing.add(database.drop);
  const pool = openPool({ url: database.url, connections: 6, onError: () => {} });
  closing.add(() => pool.end());
  const { db, close } = openDatabase({ url: database.url, connections: 2, onError: () => {} });
  closing.add(close);
  const rules = await mkdtemp(join(tmpdir(), "earshot-links-"));
  closing.add(() => rm(rules, { recursive: true }));
  await writeFile(join(rules, "angry.yaml"), RULE);
  const secrets = inventLocalSecrets();
  const account = await seedAccount(pool, {
    client: { name: "Demo" },
    user: { username: LOCAL_ACCOUNT.username, password: secrets.password },
    project: { name: "Brands" },
    queries: [{ name: "Acme" }],
    at: clock.now(),
  });
  let url: string | null = null;
  const consoleUrl = () => url;
  const local = await startLocalParts({ pool, db, clock, log, secrets });
  closing.add(local.close);
  const config = await demoConfig(local, { rules, templates: "templates" });
  const jobs = countJobs();
  const earshot = await startEarshot({
    ...{ config, databaseUrl: database.url, clock, log, consoleUrl },
    queue: { kind: "postgres", url: database.url, schema: "earshot_queue" },
    roles: ROLES,
    watchFrom: clock.now(),
    sweepEveryMs: null,
    checksHealth: false,
    onDone: jobs.onDone,
  });
  closing.add(earshot.stop);
  const page = await openPage({
    ...{ databaseUrl: database.url, clock, log },
    settings: { host: "127.0.0.1", port: 0, timezone: "UTC" },
    tryNextPort: false,
    hasLocalInbox: true,
    receivers: config.receivers,
    rules: earshot.rules,
  });
  closing.add(page.close);
  url = page.url;

  await earshot.refreshQueries();
  const stream = createStream(pool, account.queries);
  stream
    .at("09:10")
    .mentions("Acme", { count: 5, snippet: "Terrible", sentiment: "negative", url: "https://a.example/1" });
  await stream.write();
  for (const end of [storyTime("09:40"), storyTime("day 2 08:10")]) {
    while (clock.now() < end) {
      // The night is long, and nothing happens in it.
      clock.set(Math.min(end, clock.now() + (clock.now() < storyTime("09:40") ? 5 : 120) * MINUTE));
      await settle(earshot, jobs);
    }
  }

  const messages = await createInboxStore<InboxMessage>(db).list({ limit: 100 });
  const links = messages.flatMap((one) => {
    const from = one.kind === "slack" ? `slack #${one.channelName}` : `mail to ${one.to.join()}`;
    return linksOf(one).map((link) => ({ from, link }));
  });
  expect([...new Set(links.map(({ from }) => from))].sort()).toEqual([
    "mail to ann@brand.example",
    "mail to on-call@brand.example",
    "mail to stakeholders@brand.example",
    "slack #brand-alerts",
    "slack #crisis",
  ]);
  for (const { from, link } of links) {
    const answer = await fetch(link).then(
      ({ status }) => status,
      ({ cause }: { cause: unknown }) => String(cause),
    );
    expect({ from, link, answer }).toEqual({ from, link, answer: 200 });
    expect(link).toContain(page.url);
  }
});

/** The addresses in a message that lead to Earshot: all but those of the mentions. */
function linksOf(message: InboxMessage): readonly string[] {
  const text =
    message.kind === "slack"
      ? JSON.stringify([message.text, message.blocks])
      : `${message.text} ${message.html} ${JSON.stringify(message.headers)}`;
  const found =
    text
      .replaceAll("&amp;", "&")
      .replaceAll("&#x3D;", "=")
      .match(/https?:\/\/[^\s"'<>|\\]+/g) ?? [];
  return found.map((one) => one.replace(/[).,]+$/, "")).filter((one) => !one.includes("a.example"));
}
