import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { useStores } from "../../use-stores.ts";

const { stores, database } = await useStores();
const ME = {
  ...{ host: "web-1", pid: 12, roles: ["poll"], version: "old", refused: null, answered: null },
  loop: { meanMs: 1.5, maxMs: 20 },
};

test("a process is listed while it reports itself, with the version that it runs and since when", async () => {
  const { processes } = stores;
  const id = randomUUID();
  expect(await processes.report({ ...ME, id })).toBeNull();
  const [before] = await processes.running();
  expect(before).toMatchObject({ ...ME, id });
  await processes.report({ ...ME, id, loop: { meanMs: 300, maxMs: 900 } });
  expect((await processes.running())[0]).toMatchObject({
    since: before?.since,
    loop: { meanMs: 300, maxMs: 900 },
  });
  await processes.report({ ...ME, id, version: "new" });
  const [after] = await processes.running();
  expect(after?.startedAt).toBe(before?.startedAt);
  expect(after?.since).toBeGreaterThan(before?.since ?? 0);
  await processes.leave(id);
  expect(await processes.running()).toEqual([]);
});

test("a process that was killed is gone after twenty seconds, from the table, too", async () => {
  const { processes } = stores;
  const [killed, alive] = [randomUUID(), randomUUID()];
  await processes.report({ ...ME, id: killed });
  await sql`update earshot.processes set seen_wall = now() - interval '21 seconds'`.execute(database.db);
  expect(await processes.running()).toEqual([]);
  await processes.report({ ...ME, id: alive });
  const { rows } = await sql<{ id: string }>`select id from earshot.processes`.execute(database.db);
  expect(rows).toEqual([{ id: alive }]);
  await processes.leave(alive);
});

test("all run a version only if nobody runs another one", async () => {
  const { processes } = stores;
  const asked = () => Promise.all([null, "old", "new"].map(processes.allRun));
  expect(await asked()).toEqual([true, true, true]);
  const [first, second] = [randomUUID(), randomUUID()];
  await processes.report({ ...ME, id: first });
  expect(await asked()).toEqual([true, true, false]);
  await processes.report({ ...ME, id: second, version: "new" });
  expect(await asked()).toEqual([false, false, false]);
  await processes.leave(first);
  expect(await asked()).toEqual([true, false, true]);
  await processes.leave(second);
});

test("a request reaches every process; what it refuses is kept with the moment", async () => {
  const { processes } = stores;
  await processes.request(randomUUID(), "newer");
  const request = await processes.request(randomUUID(), "new");
  const id = randomUUID();
  expect(await processes.report({ ...ME, id })).toEqual(request);
  const refused = { faults: ["rules/a.yaml:1:1 no"], filesAre: null };
  await processes.report({ ...ME, id, refused, answered: request.id });
  const [first] = await processes.running();
  expect(first).toMatchObject({ refused, answered: request.id });
  expect(first?.refused?.at).toBeGreaterThanOrEqual(request.at);
  await processes.report({ ...ME, id, refused, answered: request.id });
  expect((await processes.running())[0]?.refused?.at).toBe(first?.refused?.at);
  await processes.leave(id);
});
