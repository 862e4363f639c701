import { expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { createLog } from "../../../src/lib/log.ts";
import { createRefreshQueries } from "../../../src/monitor/polling/refresh-queries.ts";
import type { SourceClient } from "../../../src/monitor/source/source-client.ts";
import { createBudgetStore } from "../../../src/monitor/store/budgets.ts";
import { json } from "../../fakes/listening-api.ts";
import { useStores } from "../../use-stores.ts";
import { useFakeApi } from "../source/connect.ts";

const { database, stores } = await useStores();
const { api, connect } = useFakeApi();
const NOW = Date.parse("2026-03-02T12:00:00Z");

const project = { id: 1, name: "Team", timezone: "Etc/UTC" };
const query = (id: number) => ({ id, name: `Query ${id}`, type: "search string" });

test("a list without any query ends the watch when it comes twice, and not when it comes once", async () => {
  const refresh = createRefreshQueries({
    ...{ stores, names: ["account"], watchFrom: null, clock: createManualClock(NOW) },
    ...{ log: createLog({ level: "silent" }), signal: new AbortController().signal },
  });
  const client: SourceClient = connect();
  const source = {
    config: { name: "account", projects: ["*"], queries: ["*"], watchFrom: null, history: 0 },
    background: client,
    budget: createBudgetStore(database.db, "account"),
    calls: { noted: <T>(_: string, call: () => Promise<T>) => call() },
  } as unknown as Parameters<typeof refresh>[0];
  const listed = async (projects: readonly object[], queries: readonly object[]) => {
    api().reply(json({ id: 1, name: "Acme", tags: {} }));
    api().reply(json({ results: projects }));
    if (projects.length > 0) api().reply(json({ results: queries }));
    await refresh(source);
    return (await stores.queries.active()).map(({ queryId }) => queryId);
  };
  expect(await listed([project], [query(7), query(8)])).toEqual(["7", "8"]);
  expect(await listed([project], [])).toEqual(["7", "8"]);
  expect(await listed([project], [query(7), query(8)])).toEqual(["7", "8"]);
  expect(await listed([], [])).toEqual(["7", "8"]);
  expect(await listed([], [])).toEqual([]);
  // One that is deleted among others ends at once.
  expect(await listed([project], [query(7), query(8)])).toEqual(["7", "8"]);
  expect(await listed([project], [query(8)])).toEqual(["8"]);
});
