import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { UserError } from "../../../src/lib/errors.ts";
import { storableText } from "../../../src/lib/text.ts";
import { readAccountFile } from "../../../src/listening-api/account/account-file.ts";
import {
  type AccountPlan,
  applyAccount,
  planApply,
} from "../../../src/listening-api/account/apply-account.ts";
import {
  accountJson,
  accountYaml,
  readStoredAccount,
} from "../../../src/listening-api/account/stored-account.ts";
import { changeRows } from "../../../src/listening-api/store/changes.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { deleteProject } from "../../../src/listening-api/store/delete-things.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { putProject } from "../../../src/listening-api/store/projects.ts";
import { listQueries, readQueryVolumes } from "../../../src/listening-api/store/queries.ts";
import { lockReceivedQuery } from "../../../src/listening-api/store/received-items.ts";
import { runs } from "../../runs.ts";
import { type Fixture, logIn, mentionVersion, resourceId, SEED, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
let db: Database;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
});
afterAll(() => fixture.stop());

const file = (content: unknown) =>
  readAccountFile("account.yaml", typeof content === "string" ? content : stringify(content));

async function apply(content: unknown, { prune = false } = {}): Promise<AccountPlan> {
  const read = file(content);
  const shown = await planApply(db, read, { prune });
  await applyAccount(db, read, { prune, shown, at: T0 });
  return shown;
}

/** The account of the fixture with other contents of its project. */
const inProject = (contents: object) => ({
  clients: [{ name: "Acme", projects: [{ name: "Brands", ...contents }] }],
});

async function faultsOf(content: unknown, options = { prune: false }): Promise<readonly string[]> {
  try {
    await planApply(db, file(content), options);
  } catch (error) {
    if (error instanceof UserError) return error.details;
    throw error;
  }
  return [];
}

test("what get prints finds nothing to change, as YAML and as JSON", async () => {
  await apply({
    ...inProject({
      queries: [{ name: "Gamma", text: "gamma OR delta", languages: ["en"], startDate: "2026-01-01" }],
      queryGroups: [{ name: "Both", queries: ["Gamma", "Alpha"] }],
      categories: [
        {
          name: "Topics",
          multiple: false,
          children: ["Price", { name: "Safety", rules: [{ filter: { search: "fire" } }] }],
        },
      ],
      tags: ["seen", { name: "urgent", rules: [{ filter: { sentiment: "negative" } }] }],
    }),
    users: [{ username: "Bob@acme.example", tokenLifetime: "1h", clients: { Acme: "Viewer" } }],
  });
  const stored = await readStoredAccount(db);
  for (const text of [accountYaml(stored, new Map()), JSON.stringify(accountJson(stored))]) {
    const plan = await planApply(db, file(text), { prune: true });
    expect(plan.lines).toEqual([]);
    expect(plan.isNothing).toBe(true);
    expect(text).not.toMatch(/password|hash/i);
  }
});

test("a query that is added finds stored mentions, a rule labels them, and both are noted", async () => {
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  const record = { queryId, resourceId: resourceId(1), snippet: "a zebra in the office" };
  await insertMentions(db, [mentionVersion(record, { added: T0 - 1_000 })]);
  await apply(
    inProject({
      queries: [{ name: "Zebras", text: "zebra" }],
      tags: [{ name: "animal", rules: [{ filter: { search: "zebra" } }] }],
    }),
  );
  const zebras = (await readStoredAccount(db)).parts.client?.[0]?.parts.project?.[0]?.parts.query?.at(-1);
  const { results } = (
    await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
      ["queryId", zebras?.id ?? 0],
      ["startDate", "2026-03-01"],
      ["endDate", "2026-03-05"],
    ])
  ).body;
  expect(results).toMatchObject([{ queryName: "Zebras", tags: ["animal"] }]);
  expect((await changeRows(db, fixture.account.projectId)).slice(0, 2)).toMatchObject([
    { user: "earshot", action: "create", kind: "tag", name: "animal" },
    { user: "earshot", action: "create", kind: "query", name: "Zebras" },
  ]);
});

test("the first query of a project finds what its feeds have stored already", async () => {
  const { clientId } = fixture.account;
  const settings = { description: "", timezone: "Etc/UTC", defaultLanguage: "en", dataPolicy: null };
  const projectId = await putProject(db, { clientId, name: "Feeds alone", ...settings });
  const item = { resourceId: resourceId(2), snippet: "sour milk" };
  await db.transaction().execute(async (own) => {
    const queryId = await lockReceivedQuery(own, projectId);
    await insertMentions(own, [mentionVersion({ queryId, ...item }, { added: T0 - 1_000 })]);
  });
  const queries = [{ name: "Milk", text: "milk" }];
  await apply({ clients: [{ name: "Acme", projects: [{ name: "Feeds alone", queries }] }] });
  const [milk] = await listQueries(db, projectId);
  expect(await readQueryVolumes(db, [milk?.id ?? 0])).toEqual(new Map([[milk?.id, 1]]));
  await db.transaction().execute((own) => deleteProject(own, projectId));
});

test("an id renames: the query keeps its mentions, and their records have the new name", async () => {
  const id = fixture.account.queries.get("Alpha") ?? 0;
  const plan = await apply(inProject({ queries: [{ id, name: "Alpha 2" }] }));
  expect(plan.lines).toContainEqual(expect.stringMatching(/^~ +query "Alpha": name "Alpha" → "Alpha 2"$/));
  const { results } = (
    await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
      ["queryId", id],
      ["startDate", "2026-03-01"],
      ["endDate", "2026-03-05"],
    ])
  ).body;
  expect(results).toMatchObject([{ queryName: "Alpha 2" }]);
  await apply(inProject({ queries: [{ id, name: "Alpha" }] }));
});

test("a client and a project that get new names keep what refers to them", async () => {
  const { clientId, projectId } = fixture.account;
  const lists = [{ name: "Press", projects: ["Brands"], domains: ["a.example"] }];
  await apply({ clients: [{ name: "Acme", siteLists: lists }] });
  await apply({
    clients: [
      {
        id: clientId,
        name: "Acme 2",
        projects: [{ id: projectId, name: "Brands 2" }],
        siteLists: [{ name: "Press", domains: ["b.example"] }],
      },
    ],
    users: [{ username: SEED.user.username, firstName: "Anna" }],
  });
  const stored = await readStoredAccount(db);
  expect(stored.parts.user?.[0]?.fields).toMatchObject({ firstName: "Anna", clients: { "Acme 2": "Admin" } });
  expect(stored.parts.client?.[0]?.parts["site list"]?.[0]?.fields).toMatchObject({
    projects: ["Brands 2"],
    domains: ["b.example"],
  });
  const back = { id: clientId, name: "Acme", projects: [{ id: projectId, name: "Brands" }] };
  await apply({ clients: [back], users: [{ username: SEED.user.username, firstName: "Ann" }] });
});

test("nothing that the file still names goes with what is pruned", async () => {
  const lists = [{ name: "Press", domains: ["a.example"] }];
  const prune = { prune: true };
  expect(await faultsOf({ clients: [{ name: "Acme", siteLists: lists }], users: [] }, prune)).toEqual([
    expect.stringMatching(/the site list "Press" belongs to the login "ann@acme.example", which --prune/),
  ]);
  expect(await faultsOf({ users: [] }, prune)).toHaveLength(1);
  const shared = {
    clients: [{ name: "Acme", projects: [], siteLists: [{ ...lists[0], projects: ["Brands"] }] }],
  };
  expect(await faultsOf(shared, prune)).toEqual([expect.stringMatching(/there is no project "Brands"/)]);
});

test("a password is changed only by a file that has another one", async () => {
  const user = { username: SEED.user.username, password: SEED.user.password };
  expect((await planApply(db, file({ users: [user] }), { prune: false })).isNothing).toBe(true);
  const plan = await apply({ users: [{ ...user, password: "staple battery" }] });
  expect(plan.lines).toContain('~ user "ann@acme.example": password (not shown)');
  expect((await logIn(fixture.api, user)).status).toBe(401);
  await apply({ users: [{ username: user.username, lastName: "Lee-Smith" }] });
  expect((await logIn(fixture.api, { ...user, password: "staple battery" })).status).toBe(200);
  await apply({ users: [{ ...user, lastName: "Lee" }] });
});

test("what the file does not name is kept, and deleted only with prune; a section that it lacks is left alone", async () => {
  const only = inProject({ tags: ["seen"] });
  const kept = await apply(only);
  expect(kept.lines).toContain('      tag "animal": not in the file, kept');
  expect(kept.isNothing).toBe(true);
  const pruned = await apply(only, { prune: true });
  expect(pruned.lines).toEqual([
    '  client "Acme"',
    '    project "Brands"',
    '-     tag "urgent"',
    '-     tag "animal"',
  ]);
  expect((await apply(only, { prune: true })).lines).toEqual([]);
});

test("an apply whose difference is no longer what was shown changes nothing", async () => {
  const read = file(inProject({ tags: ["one"] }));
  const shown = await planApply(db, read, { prune: false });
  await apply(inProject({ tags: ["one"] }));
  await expect(applyAccount(db, read, { prune: false, shown, at: T0 })).rejects.toThrow(/changed meanwhile/);
});

test("mentions that arrive while a person decides are no other difference", async () => {
  await apply(inProject({ queries: [{ name: "Short", type: "twitter" }] }));
  const queries = (await readStoredAccount(db)).parts.client?.[0]?.parts.project?.[0]?.parts.query ?? [];
  const queryId = queries.find(({ name }) => name === "Short")?.id ?? 0;
  const names = queries.filter(({ id }) => id !== queryId).map(({ name }) => ({ name }));
  const read = file(inProject({ queries: names }));
  const shown = await planApply(db, read, { prune: true });
  await insertMentions(db, [mentionVersion({ queryId, resourceId: resourceId(9) }, { added: T0 })]);
  await applyAccount(db, read, { prune: true, shown, at: T0 });
  expect((await planApply(db, read, { prune: true })).isNothing).toBe(true);
});

test("it is all done, or nothing", async () => {
  const lists = [{ name: "Nobody's", domains: ["news.example"] }];
  const content = { clients: [{ name: "New", projects: [{ name: "P" }], siteLists: lists }] };
  await expect(apply(content)).rejects.toThrow(/no login that could own its lists/);
  expect((await readStoredAccount(db)).parts.client?.map(({ name }) => name)).toEqual(["Acme"]);
});

test("months before keepMentionsFrom are dropped, and the date is kept", async () => {
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  const at = Date.parse("2025-11-05T00:00:00.000Z");
  await insertMentions(db, [mentionVersion({ queryId, resourceId: resourceId(2) }, { added: at, date: at })]);
  const plan = await apply({ keepMentionsFrom: "2026-01-01" });
  expect(plan.lines).toEqual([
    '~ all clients: keepMentionsFrom null → "2026-01-01T00:00:00.000Z"',
    "- mentions of 2025-11, of all clients",
  ]);
  expect(plan.deletesSomething).toBe(true);
  expect((await planApply(db, file({ keepMentionsFrom: "2026-01-01" }), { prune: false })).isNothing).toBe(
    true,
  );
  await apply({ keepMentionsFrom: null });
});

describe("faults are shown at their line, with what was expected", () => {
  test.each([
    ["clients: yes", /^account\.yaml:1:10 expected a list, got "yes"$/],
    ["- clients", /^account\.yaml:1:1 expected keys with values, got a list$/],
    ["clients:\n  - projects: []", /:2:5 "name" is missing$/],
    ["clients:\n  - name: 7", /:2:11 expected text, got 7/],
    ["clients:\n  - { name: A, rateLimit: fast }", /:2:27 expected calls\/minutes such as 600\/10$/],
    ["clients:\n  - { name: A, project: [] }", /unknown key "project".*did you mean "projects"\?$/],
    ["clients:\n  - name: A\n  - name: A", /:3:11 clients has the name "A" twice$/],
    ["users:\n  - username: a\n  - username: A", /:3:15 users has the username "a" twice$/],
    [
      "users:\n  - { username: a, clients: { Acme: Boss } }",
      /expected one of Admin, Regular, Viewer, got "Boss"/,
    ],
    [
      "users:\n  - { username: a, clients: { Acmee: Admin } }",
      /there is no client "Acmee" — did you mean "Acme"/,
    ],
    ["users:\n  - { username: a, password: 1234 }", /:2:30 expected text, got a number$/],
    ["clients:\n  - { name: A, projects: [{ name: P, timezone: Mars }] }", /expected an IANA zone/],
    ["clients:\n  - { name: A, projects: [{ name: P, timezone: UTC+2 }] }", /expected an IANA zone/],
    ["clients:\n  - { name: A, projects: [{ name: P, timezone: local }] }", /expected an IANA zone/],
    ["keepMentionsFrom: soon", /expected a date or date-time/],
    [
      "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nclients: [*c,*c,*c,*c]",
      /[Aa]lias/,
    ],
    ["clients: [", /:1:11 /],
    ["", /^$/],
  ])("%j", async (text, expected) => {
    expect((await faultsOf(text)).join("\n")).toMatch(expected);
  });

  test.each([
    [{ queries: [{ name: "Q", text: "(a OR" }] }, /character 1: Close this bracket/],
    [{ queries: [{ name: "Q", type: "twitter", text: "a" }] }, /only a query of the type "search string"/],
    [{ queries: [{ name: "Q", id: 1 }] }, /there is no query with this id/],
    [
      { queryGroups: [{ name: "G", queries: ["Alpa"] }] },
      /there is no query "Alpa" — did you mean "Alpha"\?/,
    ],
    [{ queryGroups: [{ name: "G", queries: ["Alpha"], owner: "zoe" }] }, /there is no login "zoe"/],
    [{ tags: [{ name: "t", rules: [{ filter: { sentiment: "sad" } }] }] }, /rules\[0\]\.filter\.sentiment/],
    [{ tags: [{ name: "t", rules: [{ filter: { search: "(" } }] }] }, /rules\[0\]\.filter\.search/],
    [{ categories: [{ name: "C", children: ["a", "a"] }] }, /children has the name "a" twice/],
    [{ rules: [{ name: "r", action: {} }] }, /expected something to do/],
    [{ rules: [{ name: "r" }] }, /"action" is missing/],
    [
      { rules: [{ name: "r", action: { addTag: ["urgnt"] } }], tags: ["urgent"] },
      /no tag "urgnt" — did you mean "urgent"/,
    ],
    [
      {
        rules: [{ name: "r", action: { addCategories: [["Topics", "Prise"]] } }],
        categories: [{ name: "Topics", children: ["Price"] }],
      },
      /there is no "Prise" in "Topics" — did you mean "Price"/,
    ],
    [
      {
        rules: [{ name: "r", action: { addCategories: [["Topic", "Price"]] } }],
        categories: [{ name: "Topics", children: ["Price"] }],
      },
      /no category "Topic" — did you mean "Topics"/,
    ],
    [{ rules: [{ name: "r", action: { assignment: "bob" } }] }, /there is no login "bob"/],
    [{ rules: [{ name: "r", queries: ["Alpa"], action: { starred: true } }] }, /there is no query "Alpa"/],
    [
      { rules: [{ name: "r", filter: { search: "(" }, action: { starred: true } }] },
      /search: at character 1/,
    ],
    [
      { rules: [{ name: "r", filter: { colour: 1 }, action: { starred: true } }] },
      /"colour" is not a parameter/,
    ],
    [
      {
        signalGroups: [
          { name: "s", queries: ["Alpha"], subscribers: [{ emailAddress: "x", notificationThreshold: 1 }] },
        ],
      },
      /expected an address/,
    ],
    [
      {
        queries: [{ name: "Q", dateRanges: [{ name: "d", startDate: "2026-02-01", endDate: "2026-01-01" }] }],
      },
      /after startDate/,
    ],
    [{ queries: [{ name: "   " }] }, /expected a name, got blanks/],
    [{ queries: [{ name: "x".repeat(256) }] }, /expected at most 255 characters/],
  ])("%j", async (contents, expected) => {
    const [fault] = await faultsOf(inProject(contents));
    expect(fault).toMatch(/^account\.yaml:\d+:\d+ /);
    expect(fault).toMatch(expected);
  });

  test("brackets that nest a hundred thousand deep", async () => {
    const faults = await faultsOf("[".repeat(100_000));
    expect(faults).toEqual([expect.stringMatching(/^account\.yaml:1:\d+ .*nested/)]);
  });

  test("of ten thousand faults twenty are shown", async () => {
    const queries = Array.from({ length: 10_000 }, () => ({ name: "same" }));
    const faults = await faultsOf(inProject({ queries }));
    expect(faults).toHaveLength(21);
    expect(faults.at(-1)).toBe("… and 9,979 more");
  });

  test("a group whose query goes with prune", async () => {
    const contents = { queries: [{ name: "Alpha" }], queryGroups: [{ name: "G", queries: ["Beta"] }] };
    expect(await faultsOf(inProject(contents), { prune: true })).toMatchObject(
      [/no query "Beta"/].map((one) => expect.stringMatching(one)),
    );
  });
});

// Names and texts of strangers: quotes, line ends, control characters, words of YAML.
const anyName = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 40, unit: "binary" }),
    fc.constantFrom(
      "null",
      "yes",
      "- a",
      "a: b",
      "# no",
      "'",
      '"',
      "\u001b[2J",
      "a\nclients: []",
      "\u202eevil",
      "&a",
      "*b",
      "1e3",
      "\t",
      "__proto__",
    ),
  )
  .filter((name) => storableText(name) === name && name.trim() !== "");

test("any name and text goes in and comes out as it is, and then nothing is to be changed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyName, { minLength: 1, maxLength: 8 }), async (names) => {
      const contents = {
        queries: names.map((name) => ({ name, description: name })),
        queryGroups: [{ name: "All", queries: names }],
        tags: names,
        categories: names.map((name) => ({ name, children: names })),
        rules: names.map((name) => ({
          ...{ name, queries: [name], filter: { exactAuthor: name } },
          action: { addTag: names, removeCategories: [[name, name]] },
        })),
        signalGroups: names.map((name) => ({
          ...{ name, queries: names, excludeTags: [name], includeCategories: [[name], [name, name]] },
          subscribers: [],
        })),
      };
      const content = JSON.stringify(inProject(contents));
      await apply(content, { prune: true });
      expect((await planApply(db, file(content), { prune: true })).isNothing).toBe(true);
      const printed = accountYaml(await readStoredAccount(db), new Map());
      expect(printed).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
      expect((await planApply(db, file(printed), { prune: true })).lines).toEqual([]);
      const tags = parse(printed).clients[0].projects[0].tags.map(({ name }: { name: string }) => name);
      expect(new Set(tags)).toEqual(new Set(names));
    }),
    { numRuns: runs(10) },
  );
});
