import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { HOUR } from "../../../src/lib/instant.ts";
import { changeRows, listChanges } from "../../../src/listening-api/store/changes.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { until } from "../../until.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture } from "../fixture.ts";
import { send } from "../send.ts";

let fixture: Fixture;
let db: Database;
beforeAll(async () => {
  fixture = await startFixture(SEED, { clock: systemClock });
  db = createDatabase(fixture.database.pool);
});
afterAll(() => fixture.stop());

const headers = () => ({
  authorization: `bearer ${fixture.token}`,
  "content-type": "application/json",
});

async function ask(method: "GET" | "POST", path: string, body: object = {}) {
  const url = `/projects/${fixture.account.projectId}/${path}`;
  const payload = JSON.stringify(body);
  return (
    await send(fixture.api, { method, url, headers: headers(), ...(method === "GET" ? {} : { payload }) })
  ).body;
}

/** A server in a process of its own, over the same tables. */
async function startServer() {
  const { connectionString } = fixture.database.pool.options;
  const source = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);
  const script = `
    import { Pool } from "pg";
    import { createLocalApi } from ${source("listening-api/create-local-api.ts")};
    import { systemClock } from ${source("lib/clock.ts")};
    const log = { info() {}, warn() {}, error: console.error };
    const pool = new Pool({ connectionString: ${JSON.stringify(connectionString)} });
    const api = createLocalApi({ pool, clock: systemClock, log, signingSecret: "for tests" });
    console.log(await api.listen({ host: "127.0.0.1", port: 0 }));`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(child.stdout, "data");
  return { child, url: String(url).trim() };
}

test("the changes say of a backfill that is killed in the middle what it has done", async () => {
  const { projectId, queries } = fixture.account;
  const [alpha = 0, beta = 0] = [queries.get("Alpha"), queries.get("Beta")];
  const mention = (queryId: number, n: number) =>
    mentionVersion(
      { queryId, resourceId: resourceId(n), snippet: "a refund" },
      { added: systemClock.now() - HOUR + n },
    );
  await insertMentions(db, [mention(alpha, 1), mention(alpha, 2), mention(beta, 3)]);
  const rules = [{ filter: { search: "refund" } }];
  // The rules of a category act on what is stored, so it gets them as those of an older release: not at all.
  const category = await ask("POST", "rulecategories", { name: "Money", children: [{ name: "Refunds" }] });
  await fixture.database.pool.query("update local_api.category set rules = $1 where id = $2", [
    JSON.stringify(rules),
    category.children[0].id,
  ]);
  const jobs = "rulebackfill/rulecategories";
  const { child, url } = await startServer();
  const ended = once(child, "exit");
  const holder = await fixture.database.pool.connect();
  try {
    // The first query is done, the second one waits.
    await holder.query("begin");
    await holder.query("select from local_api.query where id = $1 for update", [beta]);
    const asked = fetch(`${url}/projects/${projectId}/${jobs}/${category.id}`, {
      method: "POST",
      headers: headers(),
      body: "{}",
    });
    const lost = asked.then(
      () => "answered",
      () => "lost",
    );
    await until(
      "the second query waits",
      async () => {
        const { rows } = await fixture.database.pool.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return rows.length > 0;
      },
      { withinMs: 20_000 },
    );
    child.kill("SIGKILL");
    await ended;
    expect(await lost).toBe("lost");
  } finally {
    child.kill("SIGKILL");
    await holder.query("rollback");
    holder.release();
  }
  await until(
    "PostgreSQL knows that the process is gone",
    async () => {
      const { rows } = await fixture.database.pool.query(
        "select from pg_locks where granted and locktype = 'transactionid' and pid <> pg_backend_pid()",
      );
      return rows.length === 0;
    },
    { withinMs: 20_000 },
  );
  const { rows } = await fixture.database.pool.query(
    "select query_id::integer, count(*)::integer from local_api.mention where version > 1 group by 1",
  );
  expect(rows).toEqual([{ query_id: alpha, count: 2 }]);
  const [change] = await listChanges(db, projectId, 1);
  expect(change).toMatchObject({
    kind: "category",
    after: { name: "Money", backfill: { status: "unfinished", mentionsFound: 2, mentionsChanged: 2 } },
  });
  expect(await changeRows(db, projectId)).toContainEqual(
    expect.objectContaining({ name: "Money", changed: ["backfill (unfinished, 2 found, 2 changed)"] }),
  );
  expect((await ask("GET", jobs)).results).toMatchObject([{ categoryId: category.id, status: "unfinished" }]);

  await ask("POST", `${jobs}/${category.id}`);
  expect((await ask("GET", jobs)).results).toMatchObject([{ categoryId: category.id, status: "finished" }]);
  expect((await listChanges(db, projectId, 1))[0]?.after).toMatchObject({
    backfill: { status: "finished", mentionsFound: 3, mentionsChanged: 1 },
  });
}, 60_000);
