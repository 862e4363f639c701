import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import { createManualClock, systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { codeOf } from "../../src/lib/errors.ts";
import { DAY, HOUR } from "../../src/lib/instant.ts";
import { commitPage } from "../../src/monitor/ingest/commit-page.ts";
import { preparePage } from "../../src/monitor/ingest/prepare-page.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import { NEW_POLL } from "../../src/monitor/model/poll-state.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { createStores, type Stores } from "../../src/monitor/store/stores.ts";
import { tracesInTables } from "../flows/find-traces.ts";
import { aMention } from "../mention.ts";
import { NOBODY } from "../monitor/ingest/use-polls.ts";
import { aRule } from "../monitor/rules/a-rule.ts";
import { oddQuery } from "../odd-world.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";
import { type Ran, runCommand } from "./run-command.ts";

const TOKEN = "a-token-of-sixteen";
const closing = createClosing();
const RULES = [aRule("when: { sentiment: negative }\ngroupBy: author")];
const HERS = { author: "quillonda", authorName: "Quillonda Brasswit", url: "https://vextron.example/1" };
const WORDS = ["zorblax", "quillonda", "brasswit", "vextron"];
const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;
let stores: Stores;
let url: string;
let env: Record<string, string>;

beforeAll(async () => {
  const database = await createTestDatabase();
  closing.add(database.drop);
  url = database.url;
  const folder = await mkdtemp(join(tmpdir(), "earshot-forget-"));
  closing.add(() => rm(folder, { recursive: true }));
  env = { DATABASE_URL: url, EARSHOT_HOME: folder, EARSHOT_CONFIG: join(folder, "earshot.yaml") };
  const opened = openDatabase({ url, onError: (error) => expect.fail(error.message) });
  closing.add(opened.close);
  stores = createStores(opened.db);
  const now = systemClock.now();
  const query = oddQuery();
  await stores.queries.register([query], now - DAY, now - DAY);
  await stores.polls.ensure(now);
}, 60_000);
afterAll(() => closing.close());

/** Stores a page as a poll does. */
async function arrive(...mentions: Mention[]): Promise<void> {
  const clock = createManualClock(systemClock.now());
  const claim = await stores.polls.claim(KEY, systemClock.now() + DAY);
  const query = await stores.queries.find("p", "1");
  if (claim === null || query === null) throw new Error("the poll is free");
  const page = { mentions, rejected: [], nextCursor: null, total: null, pageSize: null };
  const prepared = preparePage(RULES, stores.mentions.rowsOf, page);
  const run = { key: KEY, query, lease: claim.lease };
  await commitPage({ store: stores, notifyConfig: NOBODY, clock }, run, prepared, NEW_POLL);
  const client = new pg.Client(url);
  await client.connect();
  await client.query("update earshot.polls set leased_until_wall = null, lease = null");
  await client.end();
}

function said(resourceId: string, facts: Partial<Mention> = {}): Mention {
  const at = systemClock.now() - HOUR;
  return aMention({
    resourceId,
    publishedAt: at,
    addedAt: at,
    sentiment: "negative",
    text: "zorblax of Acme",
    ...facts,
  });
}

/** Files of tables, indexes and statistics in which a word stands, deleted rows and unused places included. */
async function tracesInFiles(): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  // What is in memory only is not in a file yet.
  await client.query("checkpoint");
  const { rows } = await client.query(
    "select current_setting('data_directory') || '/base/' || oid as folder from pg_database where datname = current_database()",
  );
  const folder = String(rows[0].folder);
  const found: string[] = [];
  for (const name of await readdir(folder)) {
    const text = await readIfThere(join(folder, name));
    const words = WORDS.filter((word) => text.includes(word));
    if (words.length === 0) continue;
    const of = await client.query("select pg_filenode_relation(0, $1)::regclass::text as name", [
      Number.parseInt(name, 10),
    ]);
    found.push(`${name} of ${of.rows[0].name}: ${words.join(", ")}`);
  }
  await client.end();
  return found;
}

/** A file that the server has deleted since it was listed is empty: no word stands in it. */
async function readIfThere(path: string): Promise<string> {
  try {
    return (await readFile(path)).toString("latin1").toLowerCase();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}

/**
 * Begins to read as things are. What is deleted afterwards is still there for this reader, and so it would be written
 * anew as well. The result ends it when somebody waits for that.
 */
async function readOldState(): Promise<() => Promise<void>> {
  const reader = new pg.Client(url);
  await reader.connect();
  await reader.query("begin isolation level repeatable read");
  await reader.query("select from earshot.mentions");
  return async () => {
    const watcher = new pg.Client(url);
    await watcher.connect();
    const isWaitedFor = async () => {
      const { rows } = await watcher.query(
        "select from pg_stat_activity where query = 'select pg_sleep(0.1)' and datname = current_database()",
      );
      return rows.length > 0;
    };
    await until("somebody waits for the reader", isWaitedFor, { withinMs: 20_000 });
    await watcher.end();
    await reader.end();
  };
}

const forget = (...args: string[]): Promise<Ran> => runCommand(["forget", ...args], env);

test("nothing is deleted without an answer, and a dry run only counts", async () => {
  await arrive(
    said("1", HERS),
    said("2", { ...HERS, url: "https://vextron.example/2" }),
    said("3", { author: "bo", text: "hm" }),
  );
  const asked = await forget("@quillonda");
  expect(asked.exitCode).toBe(2);
  expect(asked.stderr).toContain("--yes");
  // As its help says.
  expect(asked.exitCode).toBe(2);
  expect((await runCommand(["forget", "--help"], env)).stdout).toContain(
    "2 an error in your input, or not agreed;",
  );
  const dry = await forget("@quillonda", "--dry-run");
  expect(dry.stdout).toContain("2 mentions in the monitor");
  expect(dry.stdout).toContain("ask its owner");
  expect(dry.stdout).toContain("Nothing was changed.");
  const { stdout } = await forget("Quillonda Brasswit", "--dry-run", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    what: "author",
    mentions: 2,
    localMentions: null,
    forgotten: false,
  });
  expect(JSON.parse((await forget("quill", "--dry-run", "--json")).stdout)).toMatchObject({ mentions: 0 });
  const elsewhere = await forget("quillonda", "--source", "other.example", "--dry-run", "--json");
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({ mentions: 0 });
});

test("an author is forgotten, and what is from before does not come back; others stay", async () => {
  expect((await tracesInFiles()).length).toBeGreaterThan(0);
  const stopReading = await readOldState();
  const forgetting = forget("@quillonda", "--yes", "--by", "Ann");
  await stopReading();
  const { stdout, exitCode } = await forgetting;
  expect(exitCode).toBe(0);
  expect(await tracesInFiles()).toEqual([]);
  expect(stdout).toContain("The files of the tables were written anew.");
  expect(stdout).toContain("2 mentions in the monitor, ");
  expect(stdout).toContain("Forgotten.");
  expect(await tracesInTables(url, WORDS)).toEqual([]);
  // The same again, and one that was never seen, from before the request.
  await arrive(
    said("1", HERS),
    said("late", { ...HERS, text: "another zorblax" }),
    said("4", { author: "cy", text: "hm" }),
  );
  expect(await tracesInTables(url, WORDS)).toEqual([]);
  const kept = await stores.mentions.inWindow("p", "1", 0, systemClock.now(), 10);
  expect(kept.map(({ mention }) => mention.resourceId).sort()).toEqual(["3", "4"]);
  const [request] = await stores.forgotten.requests(5);
  expect(request).toMatchObject({ what: "author", mentions: 2, localMentions: null, files: "Rewritten" });
  expect(request?.actor).toMatchObject({ via: "shell", typed: "Ann" });
  const listed = await forget("--requests");
  expect(listed.stdout).toContain('"Ann"');
  expect(listed.stdout).toMatch(/author\s+2/);
  // What she publishes later is hers to publish.
  await arrive(said("new", { ...HERS, publishedAt: systemClock.now() + HOUR }));
  expect(
    await stores.mentions.inWindow("p", "1", systemClock.now(), systemClock.now() + DAY, 9),
  ).toHaveLength(1);
  expect((await forget("https://vextron.example/1", "--yes", "--json")).exitCode).toBe(0);
  expect(await tracesInTables(url, WORDS)).toEqual([]);
});

test("with `listen` it is forgotten in our own Listening API, too, and no feed brings it back", async () => {
  await writeFile(
    env["EARSHOT_CONFIG"] ?? "",
    `listen:
  queries: [{ name: Acme, text: acme }]
  feeds: [{ kind: push, name: zapier, token: ${TOKEN} }]
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
rules: ${join(import.meta.dirname, "..", "..", "rules")}
`,
  );
  const inside = createClosing();
  const config = await loadConfig(env["EARSHOT_CONFIG"] ?? "", {});
  const log = pino({ level: "silent" });
  const { push } = await withListening(
    config,
    { databaseUrl: url, fetches: true, clock: systemClock, log, port: 0 },
    inside,
  );
  try {
    const hers = {
      id: "9",
      text: "zorblax of Acme",
      author: "quillonda",
      fullname: "Quillonda Brasswit",
      url: HERS.url,
    };
    const send = async () =>
      (await push?.take(TOKEN, [hers, { id: "10", text: "Acme is fine", author: "bo" }]))?.body;
    expect(await send()).toMatchObject({ added: 2, matched: 2 });
    expect((await tracesInTables(url, WORDS)).length).toBeGreaterThan(0);
    const { stdout, stderr } = await forget("quillonda", "--yes", "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ localMentions: 1, forgotten: true });
    expect(await tracesInTables(url, WORDS)).toEqual([]);
    expect(await send()).toMatchObject({ added: 0 });
    expect(await push?.take(TOKEN, { ...hers, id: "another id" })).toMatchObject({ body: { added: 0 } });
    // One from before the request that was never seen, and one from after it.
    const other = { ...hers, text: "another zorblax of Acme", url: "https://vextron.example/8" };
    const before = { ...other, id: "11", date: new Date(systemClock.now() - DAY).toISOString() };
    expect(await push?.take(TOKEN, before)).toMatchObject({ body: { added: 0 } });
    expect(await tracesInTables(url, WORDS)).toEqual([]);
  } finally {
    await inside.close();
  }
});

test("a table in use, or a role that may not, is said and stops nothing", async () => {
  await arrive(said("later", { ...HERS, publishedAt: systemClock.now() + HOUR }));
  const reader = new pg.Client(url);
  await reader.connect();
  await reader.query("begin; lock table earshot.mentions in access share mode");
  try {
    const { stdout, exitCode } = await forget("@quillonda", "--yes", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ forgotten: true, files: "Partly" });
  } finally {
    await reader.end();
  }
  expect(await tracesInTables(url, WORDS)).toEqual([]);
  expect((await stores.forgotten.requests(1))[0]).toMatchObject({ files: "Partly" });
});
