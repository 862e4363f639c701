import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { afterEach } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { createLog } from "../../src/lib/log.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import { mentionRecord } from "../../src/listening-api/records/mention-record.ts";
import { wireTime } from "../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import type { RateLimit } from "../../src/monitor/model/poll.ts";
import { type Earshot, startEarshot } from "../../src/monitor/monitor.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { type LimitedLine, openLimitedLine } from "../fakes/limited-line.ts";
import { createTestDatabase } from "../postgres.ts";
import { until as waitUntil } from "../until.ts";

const ACCOUNT = { username: "monitor@acme.example", password: "correct horse battery" };
/** Processes that poll and sweep, each with four polls at once. */
const PROCESSES = 2;

let closing = createClosing();
afterEach(async () => {
  await closing.close();
  closing = createClosing();
});

/** Earshot in two processes at a local Listening API with a rate limit. */
export interface LimitedWorld {
  readonly line: LimitedLine;
  readonly earshots: readonly Earshot[];
  /** So many mentions, over the next `overMs`, over all brands. */
  publish(count: number, overMs: number): Promise<void>;
  stored(): Promise<{ rows: number; distinct: number }>;
  query<Row>(sql: string): Promise<Row[]>;
  /** Ids of the project and its queries, by name, at the source. */
  readonly account: Awaited<ReturnType<typeof seedAccount>>;
  readonly pool: Pool;
}

/** @param prepare called before Earshot starts */
export async function openLimitedWorld(
  {
    brands,
    rate,
    mayCreateGroups = false,
  }: { readonly brands: readonly string[]; readonly rate: RateLimit; readonly mayCreateGroups?: boolean },
  prepare: (world: Pick<LimitedWorld, "account" | "pool" | "publish">) => Promise<unknown> = async () => {},
): Promise<LimitedWorld> {
  const log = createLog({ level: "silent" });
  const database = await createTestDatabase();
  closing.add(database.drop);
  const pool = openPool({ url: database.url, connections: 4, onError: () => {} });
  closing.add(() => pool.end());
  const account = await seedAccount(pool, {
    client: { name: "Acme" },
    user: ACCOUNT,
    project: { name: "Brands" },
    queries: brands.map((name) => ({ name })),
    at: systemClock.now(),
  });
  let published = 0;
  const publish: LimitedWorld["publish"] = async (count, overMs) => {
    const from = systemClock.now();
    const ids = [...account.queries];
    const versions = Array.from({ length: count }, (_, i): MentionVersion => {
      const [queryName, queryId] = ids[(published + i) % ids.length] ?? ["", 0];
      const at = Math.floor(from + (i * overMs) / count);
      const record = mentionRecord({
        queryId,
        queryName,
        resourceId: `m${published + i}`,
        date: wireTime(at),
        added: wireTime(at),
        updated: wireTime(at),
      });
      return {
        version: 1,
        record,
        date: at,
        added: at,
        updated: at,
        visibleAt: at,
        supersededAt: null,
        fullText: null,
      };
    });
    published += count;
    await insertMentions(createDatabase(pool), versions);
  };
  await prepare({ account, pool, publish });
  const api = createLocalApi({ pool, clock: systemClock, log, signingSecret: "for tests", strict: true });
  closing.add(api.close);
  const line = await openLimitedLine(await api.listen({ host: "127.0.0.1", port: 0 }), rate);
  closing.add(line.close);
  const rules = await mkdtemp(join(tmpdir(), "earshot-limited-"));
  closing.add(() => rm(rules, { recursive: true }));
  await writeFile(
    join(rules, "recall-words.yaml"),
    'description: A recall.\nseverity: critical\nqueries: ["Brand 3"]\nwhen: { keyword: recall }\n',
  );
  const config = await parseConfig({
    source: {
      baseUrl: line.url,
      ...ACCOUNT,
      clientId: "earshot-api-client",
      pollEvery: "1s",
      updatesEvery: "2s",
      history: "1h",
      mayCreateGroups,
    },
    receivers: [
      { name: "nobody", kind: "slack", channel: "#x", token: "xoxb-x", apiUrl: "http://127.0.0.1:9" },
    ],
    routes: [{ receivers: ["nobody"] }],
    rules,
    templates: "templates",
  });
  const earshots: Earshot[] = [];
  for (let i = 0; i < PROCESSES; i++) {
    const earshot = await startEarshot({
      config,
      databaseUrl: database.url,
      queue: { kind: "postgres", url: database.url, schema: "earshot_queue" },
      clock: systemClock,
      log,
      roles: i === 0 ? ["poll", "tick", "sweep"] : ["poll"],
      sweepEveryMs: 250,
    });
    closing.add(earshot.stop);
    earshots.push(earshot);
  }
  const query = async <Row>(sql: string) => (await pool.query(sql)).rows as Row[];
  return {
    line,
    earshots,
    query,
    account,
    pool,
    publish,
    stored: async () => {
      const [row] = await query<{ rows: string; distinct: string }>(
        "select count(*) as rows, count(distinct (query_id, resource_id)) as distinct from earshot.mentions",
      );
      return { rows: Number(row?.rows), distinct: Number(row?.distinct) };
    },
  };
}

export const until = (what: string, isSo: () => Promise<boolean>) =>
  waitUntil(what, isSo, { withinMs: 60_000, everyMs: 100 });
