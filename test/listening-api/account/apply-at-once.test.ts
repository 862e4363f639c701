import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { readAccountFile } from "../../../src/listening-api/account/account-file.ts";
import { applyAccount, planApply } from "../../../src/listening-api/account/apply-account.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { lockWriting } from "../../../src/listening-api/store/write-order.ts";
import { until } from "../../until.ts";
import { type Fixture, SEED, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
let db: Database;
const ids = { first: 0, second: 0 };
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  for (const name of ["first", "second"] as const)
    ids[name] = (await seedAccount(fixture.database.pool, { ...SEED, project: { name } })).projectId;
});
afterAll(() => fixture.stop());

async function apply(names: readonly string[], description: string): Promise<void> {
  const projects = names.map((name) => ({ name, description, tags: [description] }));
  const read = readAccountFile("account.yaml", stringify({ clients: [{ name: "Acme", projects }] }));
  const shown = await planApply(db, read, { prune: false });
  await applyAccount(db, read, { prune: false, shown, at: T0 });
}

function waiting(count: number): Promise<void> {
  const isSo = async () => {
    const { rows } = await fixture.database.pool.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return rows.length === count;
  };
  return until(`${count} wait`, isSo, { withinMs: 10_000 });
}

test("an apply locks projects in the order of all writers, whatever the order of its file", async () => {
  let applied: Promise<void> | undefined;
  // A writer of both, such as the labelling of what feeds brought.
  await db.transaction().execute(async (writer) => {
    await lockWriting(writer, [ids.first]);
    applied = apply(["second", "first"], "by file");
    await waiting(1);
    await lockWriting(writer, [ids.second]);
  });
  await applied;
  const tags = await fixture.database.pool.query("select from local_api.tag where name = 'by file'");
  expect(tags.rowCount).toBe(2);
});

test("two applies with opposite orders are both done, or the later one is told to look again", async () => {
  for (let round = 0; round < 10; round++) {
    const both = [apply(["first", "second"], `a${round}`), apply(["second", "first"], `b${round}`)];
    const failed = (await Promise.allSettled(both)).filter((result) => result.status === "rejected");
    for (const { reason } of failed) expect(String(reason)).toContain("changed meanwhile");
    expect(failed.length).toBeLessThan(2);
  }
});

test("of two applies that were shown the same account, the second is told to look again", async () => {
  const ends: Promise<unknown>[] = [];
  await db.transaction().execute(async (writer) => {
    await lockWriting(writer, [ids.first]);
    for (const description of ["by one", "by another"])
      ends.push(apply(["first"], description).catch((error: unknown) => String(error)));
    await waiting(2);
  });
  expect(await Promise.all(ends)).toEqual(
    expect.arrayContaining([undefined, expect.stringMatching(/changed meanwhile/)]),
  );
});
