import { afterEach, expect, test } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { learnLimit } from "../../../src/monitor/polling/refresh-queries.ts";
import { createBudgetStore } from "../../../src/monitor/store/budgets.ts";
import { bytes, json } from "../../fakes/listening-api.ts";
import { useStores } from "../../use-stores.ts";
import { useFakeApi } from "../source/connect.ts";

const { database } = await useStores();
const { api, connect } = useFakeApi();
const log = createLog({ level: "silent" });
let accounts = 0;
const budgetOf = () => createBudgetStore(database.db, `account ${++accounts}`);
afterEach(() => expect(api().calls).toHaveLength(1));

async function learned(tags: object) {
  const budget = budgetOf();
  api().reply(json({ id: 1, name: "Acme", tags }));
  await learnLimit(connect(), budget, log);
  return (await budget.read()).limit;
}

test.each([
  [
    { "ratelimit.limit": "600", "ratelimit.period": "10" },
    { limit: 600, periodMs: 600_000 },
  ],
  [
    { "ratelimit.limit": 300.7, "ratelimit.period": 0.5 },
    { limit: 300, periodMs: 30_000 },
  ],
  [{ "ratelimit.limit": "0.5", "ratelimit.period": "10" }, null],
  [{ "ratelimit.limit": "1e12", "ratelimit.period": "1e9" }, null],
  [{ "ratelimit.limit": "-5", "ratelimit.period": "x" }, null],
])("an account whose tags are %j has the limit %j", async (tags, limit) => {
  expect(await learned(tags)).toEqual(limit);
});

test.each([403, 404])(
  "where its record may not be read (%i), the usual limit holds until an answer says more",
  async (code) => {
    const budget = budgetOf();
    api().reply(bytes("", { status: code }));
    await learnLimit(connect(), budget, log);
    expect(await budget.read()).toMatchObject({
      limit: { limit: 30, periodMs: 600_000 },
      learnedFrom: "assumed",
    });
  },
);

test("an account that cannot be asked now is asked again", async () => {
  api().reply(bytes("", { status: 503 }));
  await expect(learnLimit(connect(), budgetOf(), log)).rejects.toThrow("503");
});
