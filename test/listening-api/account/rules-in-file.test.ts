import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { readAccountFile } from "../../../src/listening-api/account/account-file.ts";
import { applyAccount, planApply } from "../../../src/listening-api/account/apply-account.ts";
import {
  accountJson,
  accountYaml,
  readStoredAccount,
} from "../../../src/listening-api/account/stored-account.ts";
import { changeRows } from "../../../src/listening-api/store/changes.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { type Fixture, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
let db: Database;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
});
afterAll(() => fixture.stop());

const file = (content: unknown) =>
  readAccountFile("account.yaml", typeof content === "string" ? content : stringify(content));

const inBrands = (contents: object) => ({
  clients: [{ name: "Acme", projects: [{ name: "Brands", ...contents }] }],
});

async function apply(contents: object, { prune = false } = {}): Promise<void> {
  const read = file(inBrands(contents));
  const shown = await planApply(db, read, { prune });
  await applyAccount(db, read, { prune, shown, at: T0 });
}

async function project() {
  const [found] = (await readStoredAccount(db)).parts.client?.[0]?.parts.project ?? [];
  if (found === undefined) throw new Error("there is no project");
  return found;
}

test("rules, signal groups, date ranges and places name other things by their names, and go round", async () => {
  const contents = {
    queries: [
      {
        name: "Gamma",
        text: "gamma OR delta",
        locationFilter: { includedLocations: ["de"], excludedLocations: [] },
        dateRanges: [{ name: "Launch", startDate: "2026-03-01", endDate: "2026-03-08" }],
      },
    ],
    tags: ["urgent", "seen"],
    categories: [{ name: "Topics", children: ["Price", "Safety"] }],
    rules: [
      {
        ...{ name: "Refunds", queries: ["Gamma"], filter: { search: "refund*", sentiment: "negative" } },
        action: {
          addTag: ["urgent"],
          removeTag: ["seen"],
          addCategories: [["Topics", "Price"]],
          priority: "high",
        },
      },
      { name: "Paused", enabled: false, action: { starred: true } },
    ],
    signalGroups: [
      {
        ...{ name: "Press", queries: ["Gamma"], includeTags: ["urgent"] },
        excludeCategories: [["Topics", "Safety"]],
        subscribers: [{ emailAddress: "ann@acme.example", notificationThreshold: 2 }],
      },
    ],
  };
  await apply(contents);
  const stored = await readStoredAccount(db);
  const printed = accountYaml(stored, new Map());
  for (const text of [printed, JSON.stringify(accountJson(stored))])
    expect((await planApply(db, file(text), { prune: true })).lines).toEqual([]);
  // Another home has other ids, and prints the same.
  const other = await startFixture();
  const home = createDatabase(other.database.pool);
  const read = file(printed);
  const shown = await planApply(home, read, { prune: true });
  await applyAccount(home, read, { prune: true, shown, at: T0 });
  const withoutIds = (text: string) => text.replaceAll(/ # .*$/gm, "");
  expect(withoutIds(accountYaml(await readStoredAccount(home), new Map()))).toBe(withoutIds(printed));
  await other.stop();
  const kinds = (await changeRows(db, fixture.account.projectId)).map(
    ({ kind, action }) => `${action} ${kind}`,
  );
  expect(kinds.slice(0, 3)).toEqual(["create signal group", "create rule", "create rule"]);
});

test("a plain date is the start of that day in the project, as in the calls", async () => {
  const path = `/projects/${fixture.account.projectId}/queries`;
  const days = async () => {
    const { results } = (await fixture.get(path, [["nameContains", "Days"]])).body;
    const { startDate, id } = results[0];
    const [range] = (await fixture.get(`${path}/${id}/date-range`)).body;
    return [startDate, range.startDate, range.endDate];
  };
  const content = (zone: object) => ({
    ...zone,
    queries: [
      {
        ...{ name: "Days", text: "days", startDate: "2026-07-01" },
        dateRanges: [{ name: "May", startDate: "2026-05-01", endDate: "2026-05-02T12:00:00Z" }],
      },
    ],
  });
  await apply(content({}));
  const berlin = [
    "2026-06-30T22:00:00.000+0000",
    "2026-04-30T22:00:00.000+0000",
    "2026-05-02T12:00:00.000+0000",
  ];
  expect(await days()).toEqual(berlin);
  expect((await planApply(db, file(inBrands(content({}))), { prune: false })).isNothing).toBe(true);
  await apply(content({ timezone: "America/New_York" }));
  expect((await days()).slice(0, 2)).toEqual([
    "2026-07-01T04:00:00.000+0000",
    "2026-05-01T04:00:00.000+0000",
  ]);
  await apply(content({ timezone: "Europe/Berlin" }));
  expect(await days()).toEqual(berlin);
  const wrong = content({});
  const [query] = wrong.queries;
  Object.assign(query?.dateRanges[0] ?? {}, { startDate: "2026-05-02T12:00:00Z", endDate: "2026-05-01" });
  await expect(apply(wrong)).rejects.toMatchObject({
    details: [expect.stringMatching(/expected a moment after startDate/)],
  });
});

test("a rule that the file does not change keeps what it names, whatever that is called now", async () => {
  const id = (await project()).parts.query?.find(({ name }) => name === "Gamma")?.id;
  await apply({
    queries: [{ id, name: "Gamma 2" }],
    rules: [{ name: "Refunds", action: { addTag: ["urgent"] } }],
  });
  const { body } = await fixture.get(`/projects/${fixture.account.projectId}/rules`);
  expect(body.results[0]).toMatchObject({ queryName: "Gamma 2", ruleAction: { addTag: ["urgent"] } });
  await apply({ queries: [{ id, name: "Gamma" }] });
});

test("what is pruned is no longer in the rules that named it", async () => {
  const names = ["Alpha", "Beta"].map((name) => ({ name }));
  await apply({ queries: names, tags: ["urgent"] }, { prune: true });
  const { parts } = await project();
  expect(parts.rule?.map(({ name }) => name)).toEqual(["Paused"]);
  expect(parts["signal group"]).toEqual([]);
  await apply({ rules: [], signalGroups: [], tags: [] }, { prune: true });
});
