import { availableParallelism, loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY, MINUTE, SECOND } from "../../src/lib/instant.ts";
import { migrate } from "../../src/monitor/store/migrate.ts";
import { anAlert, makeAnIncident, pending } from "../console/make-a-story.ts";
import { startTestConsole } from "../console/start-test-console.ts";
import { aMention } from "../mention.ts";
import { openBenchDatabaseUrl } from "./bench-database.ts";
import { countManyMentions, storeManyMentions } from "./many-mentions.ts";

/**
 * How long the pages of the console take with many mentions kept, while a thousand a minute come in and are counted.
 *
 *     npx tsx test/bench/console-pages.ts [--mentions 1000000] [--days 90] [--rounds 20] [--only insights] [--keep FOLDER]
 */
const { values } = parseArgs({
  options: {
    mentions: { type: "string", default: "1000000" },
    days: { type: "string", default: "90" },
    rounds: { type: "string", default: "20" },
    /** Only pages whose address has it. */
    only: { type: "string", default: "" },
    /** The database stays in this folder, and the next run with it fills nothing. */
    keep: { type: "string" },
  },
});
const [mentions, days, rounds] = [Number(values.mentions), Number(values.days), Number(values.rounds)];
const QUERIES = 5;
const LIMIT_MS = 200;
const COMING = { every: 3 * SECOND, at: 50 };
const NOW = Date.UTC(2026, 3, 1, 14, 5);

const closing = createClosing();
try {
  const databaseUrl = await openBenchDatabaseUrl(closing, values.keep);
  await migrate(databaseUrl);
  const web = await startTestConsole(NOW, { databaseUrl });
  closing.add(web.close);
  const { stores, database } = web;
  const { first, incident } = (await findKept()) ?? (await fill());

  const pages = [
    "/",
    "/alerts",
    `/alerts/${first.id}`,
    `/incidents/${incident.id}`,
    `/incidents/${incident.id}/review`,
    "/silences",
    "/coverage",
    "/views",
    "/mentions",
    "/mentions?query=1",
    "/mentions?query=1&sentiment=negative",
    "/mentions?sentiment=negative&last=7d",
    "/mentions?contains=word7",
    "/mentions?contains=seldom",
    "/mentions?contains=absent",
    "/mentions?contains=%22many+words%22+AND+word7",
    "/mentions?contains=absent+OR+seldom",
    "/mentions?author=author7",
    "/mentions?author=nobody",
    "/mentions?domain=site1900.example",
    "/mentions?language=de&country=Country+7",
    "/mentions?category=Category+3&query=2",
    "/mentions?story=story7",
    "/mentions?status=to-do",
    "/mentions?status=done",
    "/mentions?assignee=nobody",
    "/mentions?assignee=ann",
    "/mentions?tag=vip",
    `/mentions?from=${NOW - 60 * DAY}&to=${NOW - 59 * DAY}`,
    `/mentions?from=${NOW - 60 * DAY}&to=${NOW - 59 * DAY}&author=author7`,
    ...["24h", "7d", "30d", "90d"].flatMap((last) => [
      `/insights?last=${last}`,
      `/insights?last=${last}&domain=site9.example`,
      `/insights?last=${last}&country=Country+7&language=de`,
      `/insights/speakers?last=${last}`,
      `/insights/speakers?last=${last}&author=author7`,
      `/insights/speakers?last=${last}&language=de`,
      `/insights/stories?last=${last}`,
      `/insights/response?last=${last}`,
    ]),
    "/insights?last=7d&by=hour",
    "/insights?last=90d&by=day",
  ].filter((page) => page.includes(values.only));

  await removeWhatCame();
  let [isOver, came] = [false, Date.now()];
  const began = came;
  const comes = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const page = Array.from({ length: COMING.at }, () => {
        const n = ++came;
        return aMention({
          ...{
            resourceId: `new${n}`,
            queryId: String(n % QUERIES),
            author: `author${n % 997}`,
            domain: `site${n % 99}.example`,
          },
          ...{ publishedAt: NOW - (n % 600) * SECOND, addedAt: NOW, text: "many words", language: "de" },
        });
      });
      const rows = page.map((mention) => ({
        mention,
        eventAt: mention.publishedAt ?? NOW,
        story: mention.resourceId,
      }));
      await stores.mentions.storePage("p", stores.mentions.rowsOf(rows), NOW);
      if (turn % 10 === 9) await stores.mentionCounts.countStale();
      await delay(COMING.every);
    }
  })();
  const times = new Map<string, number[]>(pages.map((page) => [page, []]));
  const faults = new Map<string, number>();
  for (let round = 0; round < rounds; round++)
    for (const [page, took] of times) {
      const start = monotonicMs();
      const answer = await fetch(`${web.url}${page}`, { headers: { accept: "text/html" } });
      await answer.text();
      // The first round fills caches, as the minutes after a start do.
      if (round > 0) took.push(monotonicMs() - start);
      if (answer.status !== 200) faults.set(page, answer.status);
    }
  isOver = true;
  await comes;
  say(
    `${came - began} mentions came meanwhile; ${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(1)}`,
  );
  say("   p50    p95 ms  (200 ms at most)");
  for (const [page, took] of times) {
    const sorted = took.toSorted((a, b) => a - b);
    const of = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(0).padStart(6);
    const isSlow = Number(of(0.95)) > LIMIT_MS;
    say(
      `${of(0.5)} ${of(0.95)} ${isSlow ? "SLOW" : "    "} ${page}${faults.has(page) ? `  answered ${faults.get(page)}` : ""}`,
    );
  }

  /** Where the database was kept, a run before left its mentions. */
  async function removeWhatCame() {
    const came = sql`added_at = to_timestamp(${NOW / SECOND}::float8) and resource_id like 'new%'`;
    await sql`insert into earshot.stale_counts (project_id, query_id, quarter)
      select distinct project_id, query_id, date_bin('15 minutes', event_at, 'epoch') from earshot.mentions where ${came}`.execute(
      database.db,
    );
    await sql`delete from earshot.mentions where ${came}`.execute(database.db);
    await stores.mentionCounts.countStale();
    await sql`vacuum analyze earshot.mentions`.execute(database.db);
  }

  /** The last thing that is filled in. */
  async function findKept() {
    const { rows } = await sql<{ alertId: string; incidentId: string }>`
      select alert_id as "alertId", incident_id as "incidentId" from earshot.incident_alerts order by alert_id desc limit 1
    `.execute(database.db);
    return rows[0] && { first: { id: rows[0].alertId }, incident: { id: rows[0].incidentId } };
  }

  async function fill() {
    const many = { mentions, from: NOW - days * DAY, days, queries: QUERIES };
    const began = monotonicMs();
    await storeManyMentions(database.db, many);
    say(`${mentions} mentions of ${days} days stored in ${seconds(began)} s`);
    const counting = monotonicMs();
    await countManyMentions(database.db, many);
    say(`and counted in ${seconds(counting)} s`);
    const watched = (queryId: string) => ({
      ...{ projectId: "p", projectName: "Brands", timezone: "Europe/Berlin" },
      ...{ queryId, name: `Brand ${queryId}` },
    });
    const queries = Array.from({ length: QUERIES }, (_, n) => watched(String(n)));
    await stores.queries.register(queries, many.from, NOW);
    const alerts = Array.from({ length: 2_000 }, (_, n) =>
      anAlert({
        ...{
          projectId: "p",
          openedAt: NOW - (n * days * DAY) / 2_000 - MINUTE,
          queryId: String(n % QUERIES),
        },
        queryName: `Brand ${n % QUERIES}`,
        ...(n > 20 && { state: "resolved" as const, resolvedAt: NOW - (n * days * DAY) / 2_000 }),
      }),
    );
    await stores.alerts.save(alerts);
    await stores.notifications.addPending(
      alerts.slice(0, 500).map((alert) => pending(alert, { projectId: "p" })),
    );
    const [first, ...others] = alerts.slice(0, 3);
    if (first === undefined) throw new Error("there is no alert");
    return { first, incident: await makeAnIncident(stores, first, others) };
  }
} finally {
  await closing.close();
}

function seconds(since: number): string {
  return ((monotonicMs() - since) / SECOND).toFixed(0);
}

function say(line: string): void {
  console.log(line);
}
