import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { rss } from "../../../src/feeds/kinds/rss.ts";
import { toArrived } from "../../../src/feeds/run/to-arrived.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { UserError } from "../../../src/lib/errors.ts";
import { DAY } from "../../../src/lib/instant.ts";
import { receiveItems } from "../../../src/listening-api/arrive/receive-items.ts";
import { tombstoneMentions } from "../../../src/listening-api/arrive/tombstone-mentions.ts";
import type { QueryCache } from "../../../src/listening-api/assign/assign-queries.ts";
import type { LocalApi } from "../../../src/listening-api/create-local-api.ts";
import { editMention } from "../../../src/listening-api/edit/edit-mention.ts";
import { importMentions } from "../../../src/listening-api/import/import-mentions.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { noEnrichment } from "../../feeds/no-enricher.ts";
import type { Fixture } from "../fixture.ts";
import { send } from "../send.ts";

/** A kind of writer: each call is one piece of work of one round. */
export type Writer = (round: number) => Promise<void>;

const WORDS = ["water", "kettle", "battery"] as const;

/** Is said by mentions that go where their line says, and nowhere else. */
export const BY_NAME = "byname";

/** A process, with the clock of its machine. */
export interface Process {
  readonly api: LocalApi;
  readonly clock: Clock;
}

/** Writers of every kind, as other programs, feeds, commands and people write, each time in another of the processes. */
export async function createWriters(
  { account, database, token }: Fixture,
  processes: readonly Process[],
  random: () => number,
): Promise<Readonly<Record<string, Writer>>> {
  const db = createDatabase(database.pool);
  const { projectId } = account;
  const project = { id: projectId, timezone: "Etc/UTC" };
  const folder = await mkdtemp(join(tmpdir(), "earshot-writers-"));
  const cache: QueryCache = new Map();
  const from = { kind: "rss", feedKey: "k", host: "blog.example", policyVersion: 1 };
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error("nothing to choose from");
    return value;
  };
  const texts = (id: string) => `${pick(WORDS)} ${pick(WORDS)} ${id} ${Math.floor(random() * 1e6)}`;

  function arrived(id: string) {
    const found = { id, url: `https://blog.example/${id}`, title: null, body: { text: texts(id) } };
    const around = {
      kind: { ...rss, editedEveryMs: 0 },
      fetchedAt: pick(processes).clock.now(),
      keepFrom: 0,
    };
    const { item } = toArrived(
      { ...found, publishedAt: null, author: null },
      { ...around, enrich: noEnrichment },
    );
    return item === null ? [] : [item];
  }

  async function some(limit: number): Promise<readonly { queryId: number; resourceId: string }[]> {
    const { rows } = await sql<{ query_id: string; resource_id: string }>`
      select query_id, resource_id from local_api.mention m
      where superseded_at = 'infinity' and resource_type is distinct from 'deleted'
        and query_id in (select id from local_api.query where project_id = ${projectId} and type = 'search string')
      order by random() limit ${limit}`.execute(db);
    return rows.map((row) => ({ queryId: Number(row.query_id), resourceId: row.resource_id }));
  }

  async function call(
    method: "PATCH" | "PUT" | "POST" | "DELETE",
    path: string,
    body: unknown,
    allowed: readonly number[],
  ): Promise<{ readonly id: number }> {
    const answer = await send(pick(processes).api, {
      ...{ method, url: `/projects/${projectId}/${path}`, payload: JSON.stringify(body) },
      headers: { authorization: `bearer ${token}`, "content-type": "application/json" },
    });
    if (!allowed.includes(answer.status))
      throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as { id: number };
  }

  async function edit(changes: object, limit: number): Promise<void> {
    const mentions = await some(limit);
    // Refused where another writer was first and the mention is gone.
    await call(
      "PATCH",
      "data/mentions",
      mentions.map((mention) => ({ ...mention, ...changes })),
      [200, 400],
    );
  }

  async function receive(ids: readonly string[], gone: readonly string[]): Promise<void> {
    const at = pick(processes).clock.now();
    const batch = {
      arrived: ids.flatMap(arrived),
      deleted: gone.flatMap(arrived).map(({ idKey, nativeId }) => ({ idKey, nativeId, reason: "deleted" })),
    };
    await db
      .transaction()
      .execute((own) => receiveItems(own, project, from, batch, { at, cache, queue: async () => {} }));
  }

  async function importNow(round: number, name: string): Promise<void> {
    const path = join(folder, name);
    const { clock } = pick(processes);
    // Now and then more than one batch.
    const lines = Array.from({ length: round % 10 === 5 ? 520 : 15 }, (_, n) =>
      JSON.stringify({
        ...{
          id: `${name}-${round}-${n}`,
          text: texts(n % 3 === 0 ? BY_NAME : `${n}`),
          date: new Date(clock.now() - DAY).toISOString(),
        },
        ...(n % 3 === 0 ? { brand: "By name" } : {}),
        ...(n % 5 === 0 ? { tags: [`imported ${round}`] } : {}),
      }),
    );
    await writeFile(path, lines.join("\n"));
    const { imported } = await importMentions({
      pool: database.pool,
      path,
      projectId,
      arriveAt: clock.now,
    });
    if (imported === 0) throw new Error("nothing was imported");
  }

  const rule = { name: "kettles", filter: { search: "kettle" }, ruleAction: { priority: "low" } };
  const { id: ruleId } = await call("POST", "rules", rule, [201]);
  const { id: tagId } = await call("POST", "ruletags", { name: "hot" }, [201]);

  const post = (round: number, n: number) => `post-${round}-${n}`;
  const posts = (round: number, count: number) => Array.from({ length: count }, (_, n) => post(round, n));
  return {
    receive: (round) => receive(posts(round, 12), []),
    change: (round) => receive(posts(Math.max(0, round - 1), 6), []),
    delete: (round) => receive([], [post(Math.max(0, round - 2), round % 12)]),
    import: (round) => importNow(round, "one"),
    importToo: (round) => importNow(round, "two"),
    edit: () => edit({ starred: random() < 0.5, sentiment: pick(["positive", "negative", "neutral"]) }, 40),
    single: async () => {
      for (let n = 0; n < 5; n++) await edit({ checked: random() < 0.5, priority: pick(["high", "low"]) }, 1);
    },
    search: async (round) => {
      const booleanQuery = `${WORDS[round % 3]} OR (${WORDS[(round + 1) % 3]} AND nonce${round})`;
      await call("PUT", `queries/${account.queries.get("Changing")}`, { booleanQuery }, [200]);
    },
    rule: async (round) => {
      const ruleAction = { priority: round % 2 === 0 ? "high" : "low", starred: round % 3 === 0 };
      await call("PUT", `rules/${ruleId}`, { ruleAction }, [200]);
      await call("POST", `rules/${ruleId}/backfill`, {}, [200]);
    },
    ruleOfTag: async (round) => {
      const rules = [{ filter: { search: `${WORDS[round % 3]} NEAR/2 ${WORDS[(round + 1) % 3]}` } }];
      await call("PUT", `ruletags/${tagId}`, { rules }, [200]);
    },
    backfill: async (round) => {
      const path = `queries/${account.queries.get(round % 2 === 0 ? "Water" : "Kettle")}/backfill`;
      await call("POST", path, { minDate: "2020-01-01" }, [200]);
    },
    comeAndGo: async (round) => {
      const query = { name: `Passing ${round}`, booleanQuery: pick(WORDS) };
      const { id } = await call("POST", "queries", query, [201]);
      await call("DELETE", `queries/${id}`, {}, [200]);
    },
    command: async () => {
      const [one] = await some(1);
      if (one === undefined) return;
      const which = { projectId, queryIds: [one.queryId], resourceId: one.resourceId };
      const fields = { impact: Math.floor(random() * 100) };
      const none = { addTags: [], removeTags: [], addCategories: [], removeCategories: [] };
      // Refused where another writer was first and the mention is gone.
      await editMention(db, which, { ...none, fields }, pick(processes).clock.now).catch((error: unknown) => {
        if (!(error instanceof UserError)) throw error;
      });
    },
    forget: async () => {
      const at = pick(processes).clock.now();
      const ids = (await some(2)).map(({ resourceId }) => resourceId);
      await db
        .transaction()
        .execute((own) => tombstoneMentions(own, projectId, ids, { at, reason: "asked to" }));
    },
  };
}
