import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SeededAccount, seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { createSavedList, listClientLists } from "../../../src/listening-api/store/saved-lists.ts";
import { type Answer, type Fixture, get, logIn, SEED, startFixture } from "../fixture.ts";
import { send } from "../send.ts";
import { untilWaiting } from "../store/until-waiting.ts";

let fixture: Fixture;
let db: Database;
let project: string;
/** A second project of the same client, with a login of its own. */
let second: SeededAccount & { token: string };
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  project = `/projects/${fixture.account.projectId}`;
  const user = { username: "bob@acme.example", password: "bob", role: "Regular" };
  const account = await seedAccount(fixture.database.pool, { ...SEED, user, project: { name: "Second" } });
  second = { ...account, token: (await logIn(fixture.api, user)).body.access_token };
});
afterAll(() => fixture.stop());

const owner = (...sharedProjectIds: number[]) => {
  const { clientId, userId, projectId } = fixture.account;
  const shared = sharedProjectIds.length === 0 ? [projectId] : sharedProjectIds;
  return { clientId, userId, sharedProjectIds: shared };
};

describe("site and author lists", () => {
  it("come in the envelope, with the projects they are shared with", async () => {
    const { projectId, userId } = fixture.account;
    const domains = ["news.example", "blog.example/food"];
    const { id } = await createSavedList(db, "site", { ...owner(), name: "Press", entries: domains });
    const { body } = await fixture.get(`${project}/group/site/summary`);
    expect(body).toEqual({
      resultsTotal: 1,
      resultsPage: -1,
      resultsPageSize: -1,
      results: [
        {
          id,
          name: "Press",
          shared: "public",
          sharedProjectIds: [projectId],
          domains,
          userId,
          userName: "ann@acme.example",
        },
      ],
      projects: [
        {
          id: projectId,
          name: "Brands",
          description: "",
          billableClientId: fixture.account.clientId,
          billableClientName: "Acme",
          timezone: "Europe/Berlin",
          billableClientIsPitch: false,
        },
      ],
    });
  });

  it("have authors in place of domains", async () => {
    const { id } = await createSavedList(db, "author", {
      ...owner(),
      name: "Critics",
      entries: ["a. n. other", "<b>"],
    });
    const { body } = await fixture.get(`${project}/group/author/summary`);
    const { userId, projectId } = fixture.account;
    const sharing = { shared: "public", sharedProjectIds: [projectId] };
    const authors = ["a. n. other", "<b>"];
    expect(body.results).toEqual([
      { id, name: "Critics", ...sharing, authors, userId, userName: "ann@acme.example" },
    ]);
    expect(Object.keys(body)).toEqual([
      "resultsTotal",
      "resultsPage",
      "resultsPageSize",
      "results",
      "projects",
    ]);
  });

  it("show in the projects they are shared with, private ones only to their owner", async () => {
    const both = [fixture.account.projectId, second.projectId];
    await createSavedList(db, "author", { ...owner(...both), name: "Everywhere", entries: [] });
    await createSavedList(db, "author", { ...owner(...both), name: "Mine", shared: "private", entries: [] });
    const path = `/projects/${second.projectId}/group/author/summary`;
    const names = (answer: Answer) => answer.body.results.map((list: { name: string }) => list.name);
    expect(names(await get(fixture.api, path, [], second.token))).toEqual(["Everywhere"]);
    expect(names(await fixture.get(path))).toEqual(["Everywhere", "Mine"]);
  });
});

it("two calls at once that change different fields of a list keep both", async () => {
  const { pool } = fixture.database;
  const { id } = await createSavedList(db, "site", { ...owner(), name: "Old", entries: ["old.example"] });
  const change = (body: object) =>
    send(fixture.api, {
      method: "PUT",
      url: `${project}/group/site/${id}`,
      headers: { authorization: `Bearer ${fixture.token}` },
      payload: body,
    });
  let changed: Promise<Answer[]> | undefined;
  await db.transaction().execute(async (holder) => {
    await sql`select from local_api.saved_list where id = ${id} for update`.execute(holder);
    changed = Promise.all([change({ name: "New" }), change({ domains: ["new.example"] })]);
    await untilWaiting(pool, 2);
  });
  expect(await changed).toMatchObject([{ status: 200 }, { status: 200 }]);
  const lists = await listClientLists(db, "site", fixture.account.clientId);
  expect(lists.find((list) => list.id === id)).toMatchObject({ name: "New", entries: ["new.example"] });
});

describe("a location list is made", () => {
  const cities = ["new8", "bos1", "phig", "bali", "wdc0"].map((id) => ({ id }));
  const make = (body: unknown, path = `${project}/group/location/`) =>
    send(fixture.api, {
      method: "POST",
      url: path,
      headers: { authorization: `Bearer ${fixture.token}`, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });

  it("of ids, each with its name, its type and its place in the world", async () => {
    const { projectId, userId } = fixture.account;
    const body = { name: "East", locations: cities, sharedProjectIds: [projectId], shared: "public" };
    const made = await make(body);
    expect(made.status).toBe(200);
    expect(Object.keys(made.body)).toEqual([
      "id",
      "name",
      "shared",
      "sharedProjectIds",
      "locations",
      "userName",
      "userId",
    ]);
    expect(made.body).toMatchObject({
      id: expect.any(Number),
      name: "East",
      shared: "public",
      sharedProjectIds: [projectId],
      userName: "ann@acme.example",
      userId,
    });
    expect(made.body.locations.map((location: { id: string }) => location.id)).toEqual(
      cities.map(({ id }) => id),
    );
    expect(made.body.locations[0]).toEqual({
      id: "new8",
      name: "New York City",
      type: "city",
      fullName: "New York City, New York, United States, North America",
    });
    const { results, projects } = (await fixture.get(`${project}/group/location/summary`)).body;
    expect(results.find((list: { id: number }) => list.id === made.body.id)).toEqual(made.body);
    expect(projects).toMatchObject([{ id: projectId }]);
  });

  it("with and without a slash at the end, a second one for a repeated request", async () => {
    const [first, again] = [
      await make({ name: "Twice", locations: cities }),
      await make({ name: "Twice", locations: cities }, `${project}/group/location`),
    ];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.id).not.toBe(first.body.id);
    expect(first.body).toMatchObject({ shared: "public", sharedProjectIds: [fixture.account.projectId] });
  });

  it("of what another list said, owner and all", async () => {
    const { id: _, ...told } = (await make({ name: "First", locations: [{ id: "gb" }, { id: "us-ma" }] }))
      .body;
    const copy = await make({ ...told, name: "Copy" });
    expect(copy.body.locations).toEqual(told.locations);
  });

  it("for other projects, by anybody who may see them", async () => {
    const projectIds = [second.projectId];
    await make({ name: "For the second", locations: [{ id: "jp" }], sharedProjectIds: projectIds });
    const path = `/projects/${second.projectId}/group/location/summary`;
    expect((await get(fixture.api, path, [], second.token)).body.results).toMatchObject([
      { name: "For the second", sharedProjectIds: projectIds },
    ]);
  });

  it("by a command, shown like one that was made by a call", async () => {
    const { id } = await createSavedList(db, "location", { ...owner(), name: "By command", entries: ["fr"] });
    const { results } = (await fixture.get(`${project}/group/location/summary`)).body;
    expect(results.find((list: { id: number }) => list.id === id).locations).toEqual([
      { id: "fr", name: "France", type: "country", fullName: "France, Europe" },
    ]);
  });

  const ok = { name: "List", locations: [{ id: "fr" }] };
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ["no object", [ok], /^body: expected a JSON object/],
    ["null", null, /^body: expected a JSON object/],
    ["no name", { locations: ok.locations }, /^name: expected text of 1 to 255 characters, got nothing/],
    ["a blank name", { ...ok, name: "  " }, /^name: expected text/],
    ["a number for a name", { ...ok, name: 7 }, /^name: expected text .* got 7/],
    ["an endless name", { ...ok, name: "x".repeat(256) }, /^name: expected text/],
    ["a NUL in the name", { ...ok, name: "a\0" }, /^name: expected text/],
    ["no locations", { name: "List" }, /^locations: expected an array .* got nothing/],
    ["an empty list", { ...ok, locations: [] }, /^locations: .* got an array of 0/],
    ["too many locations", { ...ok, locations: Array(1001).fill({ id: "fr" }) }, /got an array of 1001/],
    ["text for locations", { ...ok, locations: "fr" }, /^locations: expected an array .* got "fr"/],
    [
      "locations that are neither ids nor objects",
      { ...ok, locations: [7] },
      /^locations\[0\]\.id: .* got 7/,
    ],
    ["a location without id", { ...ok, locations: [{ name: "France" }] }, /^locations\[0\]\.id: .* nothing/],
    [
      "a number for an id",
      { ...ok, locations: [{ id: "fr" }, { id: 7 }] },
      /^locations\[1\]\.id: expected .* got 7/,
    ],
    [
      "an unknown id",
      { ...ok, locations: [{ id: "atlantis" }] },
      /^locations\[0\]\.id: "atlantis" is no known/,
    ],
    ["an inherited id", { ...ok, locations: [{ id: "constructor" }] }, /"constructor" is no known location/],
    ["another sharing", { ...ok, shared: "everyone" }, /^shared: expected public or private, got "everyone"/],
    ["one project id", { ...ok, sharedProjectIds: 5 }, /^sharedProjectIds: expected an array of project ids/],
    [
      "a project id as text",
      { ...ok, sharedProjectIds: ["5"] },
      /^sharedProjectIds: expected integers, got "5"/,
    ],
    ["half a project", { ...ok, sharedProjectIds: [1.5] }, /^sharedProjectIds: expected integers, got 1.5/],
    [
      "a project of nobody",
      { ...ok, sharedProjectIds: [5] },
      /^sharedProjectIds: 5 is no project of this user/,
    ],
    ["an unknown field", { ...ok, colour: "red" }, /^"colour" is not a field of a location list/],
  ];
  it.each(wrong)("never of %s", async (_, body, message) => {
    const { status, body: answer } = await make(body);
    expect(status).toBe(400);
    expect(answer.errors[0]).toEqual({ code: 0, message: expect.stringMatching(message) });
  });

  it("and all faults are reported at once", async () => {
    const { errors } = (await make({ name: "", locations: [{ id: "x" }, {}], shared: 1, y: 2 })).body;
    expect(errors).toHaveLength(5);
  });
});
