import { afterAll, beforeAll, expect, test } from "vitest";
import { openShellBudget, type ShellBudget } from "../../../src/admin/open/shell-budget.ts";
import { MINUTE } from "../../../src/lib/instant.ts";
import { createLog } from "../../../src/lib/log.ts";
import { slotsOf } from "../../../src/monitor/polling/planner/allowance.ts";
import { accountOf } from "../../../src/monitor/source/source-access.ts";
import { type BudgetStore, createBudgetStore } from "../../../src/monitor/store/budgets.ts";
import { type Database, openDatabase } from "../../../src/monitor/store/database.ts";
import { type Fixture, SEED, startFixture } from "../../listening-api/fixture.ts";
import { createTestDatabase, type TestDatabase } from "../../postgres.ts";
import { createShell } from "./shell.ts";

const LIMIT = { limit: 30, periodMs: 10 * MINUTE };
const log = createLog({ level: "silent" });
let fixture: Fixture;
let testDatabase: TestDatabase;
let database: Database;
let budget: BudgetStore;
let account: string;
let shell: ShellBudget | null;
let run: ReturnType<typeof createShell>;

beforeAll(async () => {
  fixture = await startFixture();
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, onError: (error) => expect.fail(error.message) });
  const baseUrl = await fixture.api.listen({ host: "127.0.0.1", port: 0 });
  const credentials = { ...SEED.user, clientId: "earshot-api-client" };
  account = accountOf({ baseUrl, ...credentials });
  budget = createBudgetStore(database.db, account);
  await budget.learn(LIMIT, "client");
  shell = await open(account);
  run = createShell({ baseUrl, credentials, clock: fixture.clock }, shell?.gate);
});
afterAll(async () => {
  await shell?.close();
  await database.close();
  await testDatabase.drop();
  await fixture.stop();
});

function open(wanted: string): Promise<ShellBudget | null> {
  const environment = { databaseUrl: testDatabase.url, home: "/nowhere", configFile: "" };
  return openShellBudget(environment, { account: wanted, timeoutMs: MINUTE, log });
}

test("the shell takes its calls from the account's one budget, logins included, and says so", async () => {
  const { err, failure } = await run("projects");
  expect(failure).toBeNull();
  expect(err).toContain("calls come out of the budget of the Earshot that watches it");
  expect((await budget.read()).used).toBe(2);
});

test("when the budget is used up it says when the next call is possible, and polls still have one", async () => {
  const { shell, live, crisis } = slotsOf(LIMIT.limit).of;
  const take = (priority: "shell" | "live" | "crisis", of: typeof shell) =>
    budget.take(LIMIT, { slots: of, priority, timeoutMs: MINUTE });
  while ((await take("shell", shell)) !== null);
  const { failure, exitCode, err } = await run("projects");
  expect(failure).toMatch(
    /the rate budget of the account has no call left for it; the next one is in \d+ s; possible again at \d{4}-\d\d-\d\dT/,
  );
  expect(exitCode).toBe(4);
  expect(err).not.toContain("Rate budget");
  expect(await take("live", live)).not.toBeNull();
  expect(await take("crisis", crisis)).not.toBeNull();
});

test("without a stored budget for the account, the headers of the source decide", async () => {
  expect(await open("somebody else at http://127.0.0.1")).toBeNull();
  expect(
    await openShellBudget(
      { databaseUrl: null, home: "/nowhere", configFile: "" },
      { account, timeoutMs: MINUTE, log },
    ),
  ).toBeNull();
});
