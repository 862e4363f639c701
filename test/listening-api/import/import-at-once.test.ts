import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { importMentions } from "../../../src/listening-api/import/import-mentions.ts";
import { type Fixture, SEED, startFixture, T0 } from "../fixture.ts";
import { send } from "../send.ts";

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  fixture = await startFixture();
  folder = await mkdtemp(join(tmpdir(), "earshot-import-"));
});
afterAll(async () => {
  await fixture.stop();
  await rm(folder, { recursive: true, force: true });
});

async function project(name: string): Promise<number> {
  const seed = { ...SEED, project: { name }, queries: [], categories: [] };
  return (await seedAccount(fixture.database.pool, seed)).projectId;
}

async function file(name: string, from: number, to: number): Promise<string> {
  const path = join(folder, name);
  const lines = Array.from({ length: to - from }, (_, n) =>
    JSON.stringify({
      id: `at-once-${from + n}`,
      brand: ["One", "Two", "Three"][(from + n) % 3],
      text: `line ${from + n} #tag`,
      date: new Date(T0 - 90 * 24 * HOUR + (from + n) * 2 * HOUR).toISOString(),
      tags: [`tag ${n % 7}`],
      categoryDetails: [{ parentName: "Topics", name: `part ${n % 5}` }],
    }),
  );
  await writeFile(path, lines.join("\n"));
  return path;
}

async function stored(projectId: number): Promise<{ rows: number; mentions: number }> {
  const { rows } = await fixture.database.pool.query(
    `select count(*)::integer as rows, count(distinct (query_id, resource_id))::integer as mentions
     from local_api.mention where query_id in (select id from local_api.query where project_id = $1)`,
    [projectId],
  );
  return rows[0];
}

test("imports at once, of files that overlap, store each mention once and wait for each other, not for ever", async () => {
  const projectId = await project("At once");
  const paths = await Promise.all([file("a", 0, 1_500), file("b", 700, 2_200), file("c", 0, 1_500)]);
  const results = await Promise.all(
    paths.map((path) => importMentions({ pool: fixture.database.pool, path, projectId })),
  );
  expect(results.reduce((sum, { imported }) => sum + imported, 0)).toBe(2_200);
  expect(await stored(projectId)).toEqual({ rows: 2_200, mentions: 2_200 });
  const { rows } = await fixture.database.pool.query(
    "select count(*)::integer as tags from local_api.tag where project_id = $1",
    [projectId],
  );
  expect(rows).toEqual([{ tags: 7 }]);
}, 60_000);

test("an import whose process is killed stores whole batches, and goes on where it was", async () => {
  const projectId = await project("Killed");
  const path = await file("k", 0, 3_000);
  const { host, port, database, user, password } = fixture.database.pool.options;
  const url =
    fixture.database.pool.options.connectionString ??
    `postgres://${user}:${password}@${host}:${port}/${database}`;
  const source = new URL("../../../src/listening-api/import/import-mentions.ts", import.meta.url);
  const script = `
    import { Pool } from "pg";
    import { importMentions } from ${JSON.stringify(source.href)};
    await importMentions({ pool: new Pool({ connectionString: ${JSON.stringify(url)} }), path: ${JSON.stringify(path)},
      projectId: ${projectId}, onProgress: ({ linesRead }) => process.stdout.write(linesRead + "\\n") });`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await ended;
  const before = await stored(projectId);
  expect(before.rows % 500).toBe(0);
  expect(before.rows).toBeGreaterThanOrEqual(500);
  expect(before.rows).toBeLessThan(3_000);
  const resumed: number[] = [];
  const pool = fixture.database.pool;
  const rest = await importMentions({ pool, path, projectId, onResume: (line) => resumed.push(line) });
  // PostgreSQL may still have been busy with a batch of the process that died.
  expect(resumed[0]).toBeGreaterThanOrEqual(before.rows);
  expect(rest.imported).toBe(3_000 - (resumed[0] ?? 0));
  expect(await stored(projectId)).toEqual({ rows: 3_000, mentions: 3_000 });
}, 60_000);

test("an import goes on where queries and tags are made, changed and deleted meanwhile, and misses none", async () => {
  const projectId = await project("Defined meanwhile");
  const at = `/projects/${projectId}`;
  const call = async (method: "POST" | "PUT" | "DELETE", path: string, body: object) => {
    const headers = { authorization: `Bearer ${fixture.token}`, "content-type": "application/json" };
    const url = `${at}/${path}`;
    const answer = await send(fixture.api, { method, url, headers, payload: JSON.stringify(body) });
    expect(answer.status).toBeLessThan(300);
    return answer.body as { id: number };
  };
  const going = await call("POST", "queries", { name: "Going", booleanQuery: "line" });
  const changing = await call("POST", "queries", { name: "Changing", booleanQuery: "nothing" });
  const tag = await call("POST", "tags", { name: "tag 1" });
  const path = join(folder, "defined");
  const lines = Array.from({ length: 4_000 }, (_, n) =>
    JSON.stringify({ id: `d${n}`, text: `line ${n}`, date: new Date(T0).toISOString(), tags: ["tag 1"] }),
  );
  await writeFile(path, lines.join("\n"));
  let others: Promise<{ id: number }> | undefined;
  const change = async () => {
    await call("DELETE", `tags/${tag.id}`, {});
    await call("PUT", `queries/${changing.id}`, { booleanQuery: "line", startDate: "2020-01-01" });
    const made = await call("POST", "queries", {
      name: "New",
      booleanQuery: "line",
      startDate: "2020-01-01",
    });
    await call("DELETE", `queries/${going.id}`, {});
    return made;
  };
  const { pool } = fixture.database;
  await importMentions({
    ...{ pool, path, projectId, arriveAt: () => fixture.clock.now() },
    onProgress: () => {
      others ??= change();
    },
  });
  const made = await others;
  const { rows } = await pool.query(
    `select query_id::integer as query, count(*)::integer as mentions,
       count(*) filter (where $1 = any(tags))::integer as tagged from local_api.mention
     where superseded_at = 'infinity' and query_id in (select id from local_api.query where project_id = $2)
     group by query_id order by query_id`,
    [tag.id, projectId],
  );
  expect(rows).toEqual([changing.id, made?.id].map((query) => ({ query, mentions: 4_000, tagged: 0 })));
}, 60_000);

test("paging by update sees every edit that is made meanwhile, and a parallel import loses nothing", async () => {
  const projectId = await project("Edited");
  const path = await file("e", 0, 600);
  const pool = fixture.database.pool;
  fixture.clock.set(T0 + 400 * 24 * HOUR);
  const { queries } = await importMentions({ pool, path, projectId });
  const ids = [...queries.values()].map(({ id }) => id);
  const data = `/projects/${projectId}/data/mentions`;
  const asked = [
    ...ids.map((id) => ["queryId", id] as const),
    ["startDate", "2025-01-01"],
    ["endDate", "2028-01-01"],
    ["orderBy", "updated"],
    ["orderDirection", "asc"],
    ["pageSize", 50],
  ] as const;
  const first = (await fixture.get(data, asked)).body;
  expect(first.resultsTotal).toBe(600);
  const seen = new Map<string, { starred: boolean; updated: string }>();
  let cursor: string | undefined;
  const step = async () => {
    const { body } = await fixture.get(data, cursor === undefined ? asked : [...asked, ["cursor", cursor]]);
    for (const { resourceId, starred, updated } of body.results) seen.set(resourceId, { starred, updated });
    cursor = body.nextCursor ?? cursor;
    return body.results.length as number;
  };
  const victims = first.results.slice(0, 50) as { queryId: number; resourceId: string }[];
  const more = importMentions({ pool, path: await file("f", 600, 1_200), projectId });
  for (const { queryId, resourceId } of victims) {
    fixture.clock.set(fixture.clock.now() + MINUTE);
    const payload = JSON.stringify([{ queryId, resourceId, starred: true }]);
    const headers = { authorization: `Bearer ${fixture.token}`, "content-type": "application/json" };
    const [edit] = await Promise.all([
      send(fixture.api, { method: "PATCH", url: data, headers, payload }),
      step(),
    ]);
    expect(edit.status).toBe(200);
  }
  await more;
  while ((await step()) > 0);
  for (const { resourceId } of victims) expect(seen.get(resourceId)).toMatchObject({ starred: true });
  expect(await stored(projectId)).toMatchObject({ mentions: 1_200 });
}, 60_000);
