import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { type SeededAccount, seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { hashToken } from "../../src/listening-api/http/authenticate.ts";
import { putMembership, removeMembership } from "../../src/listening-api/store/accounts.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { putTag } from "../../src/listening-api/store/labels.ts";
import { revokeTokens } from "../../src/listening-api/store/logins.ts";
import { putQueryGroup } from "../../src/listening-api/store/query-groups.ts";
import { createSavedList } from "../../src/listening-api/store/saved-lists.ts";
import { type Answer, type Fixture, get, logIn, SEED, startFixture } from "./fixture.ts";
import { send } from "./send.ts";

/** Every call of the API under a project. */
const IN_PROJECT = [
  "",
  "/queries",
  "/queries/summary",
  "/categories",
  "/tags",
  "/ruletags",
  "/rulecategories",
  "/querygroups",
  "/group/site/summary",
  "/group/author/summary",
  "/group/location/summary",
  "/data/mentions?startDate=2026-03-01&endDate=2026-03-02&queryId=1",
];
const ELSEWHERE = ["/me", "/client", "/user", "/projects", "/projects/summary", "/nowhere", "/"];

let fixture: Fixture;
let db: Database;
let other: SeededAccount;
let group: number;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  const project = { name: "Zebra secret", description: "takeover" };
  const user = { username: "eve@other.example", password: "battery staple" };
  const queries = [{ name: "Zebra query" }];
  other = await seedAccount(fixture.database.pool, {
    ...SEED,
    client: { name: "Rival" },
    user,
    project,
    queries,
  });
  await putTag(db, other.projectId, "Zebra tag");
  group = await putQueryGroup(db, { projectId: other.projectId, name: "Zebra group", queryIds: [] });
  const { clientId, userId, projectId } = other;
  const list = {
    clientId,
    userId,
    name: "Zebra list",
    sharedProjectIds: [projectId],
    entries: ["z.example"],
  };
  await createSavedList(db, "site", list);
});
afterAll(() => fixture.stop());

const every = () => [
  ...ELSEWHERE,
  ...IN_PROJECT.map((path) => `/projects/${fixture.account.projectId}${path}`),
  ...IN_PROJECT.map((path) => `/projects/${other.projectId}${path}`),
];

/** A token of a login of its own. */
async function tokenOf(username: string, role = "Regular"): Promise<{ token: string; userId: number }> {
  const user = { username, password: username, role };
  const { userId } = await seedAccount(fixture.database.pool, { ...SEED, user });
  return { token: (await logIn(fixture.api, user)).body.access_token, userId };
}

describe("a token that is not good is refused everywhere, in the same words", () => {
  const refusals: readonly (readonly [string, () => Promise<string>])[] = [
    ["one that was never given", async () => "8c2f2a58-1111-4222-8333-444455556666"],
    ["one that is no token at all", async () => "\u00e9'; drop table client"],
    ["the hash of a good one", async () => hashToken(fixture.token).toString("hex")],
    [
      "one that is too old",
      async () => {
        const { token } = await tokenOf("old");
        const old = "update local_api.token set expires_at = now() - interval '1 second' where hash = $1";
        await fixture.database.pool.query(old, [hashToken(token)]);
        return token;
      },
    ],
    [
      "one that was taken back",
      async () => {
        const { token } = await tokenOf("revoked");
        expect(await revokeTokens(db, { hash: hashToken(token) })).toBe(1);
        return token;
      },
    ],
    [
      "one whose login had all of its tokens taken back",
      async () => {
        const { token, userId } = await tokenOf("revoked too");
        expect(await revokeTokens(db, { userId })).toBe(1);
        return token;
      },
    ],
    [
      "one whose login has left the client",
      async () => {
        const { token, userId } = await tokenOf("left");
        expect(await removeMembership(db, { userId, clientId: fixture.account.clientId })).toBe(true);
        return token;
      },
    ],
    [
      "one whose login has left and come back",
      async () => {
        const { token, userId } = await tokenOf("back");
        const { clientId } = fixture.account;
        await removeMembership(db, { userId, clientId });
        await putMembership(db, { userId, clientId, role: "Admin" });
        return token;
      },
    ],
  ];
  it.each(refusals)("%s", async (_, make) => {
    const token = await make();
    for (const path of every()) {
      const headers = { authorization: `Bearer ${encodeURIComponent(token)}` };
      const inHeader = await send(fixture.api, { url: path, headers });
      const mark = path.includes("?") ? "&" : "?";
      const asParameter = await send(fixture.api, {
        url: `${path}${mark}access_token=${encodeURIComponent(token)}`,
      });
      for (const answer of [inHeader, asParameter]) {
        expect({ path, status: answer.status, body: answer.body }).toEqual({
          path,
          status: 401,
          body: { error: "unauthorized", error_description: "Invalid access token" },
        });
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
      }
    }
  });
});

describe("no token", () => {
  const none: readonly (readonly [string, Record<string, string>])[] = [
    ["no header", {}],
    ["an empty header", { authorization: "" }],
    ["another scheme", { authorization: "Basic YW5uOmE=" }],
    ["a scheme without a token", { authorization: "Bearer " }],
  ];
  it.each(none)("is refused on every path, known or not: %s", async (_, headers) => {
    for (const path of every()) {
      const answer = await send(fixture.api, { url: path, headers });
      expect({ path, status: answer.status, error: answer.body.error }).toEqual({
        path,
        status: 401,
        error: "unauthorized",
      });
    }
  });

  it("is refused before a body is read", async () => {
    const url = `/projects/${fixture.account.projectId}/group/location`;
    const headers = { "content-type": "application/json" };
    expect((await send(fixture.api, { method: "POST", url, headers, payload: "{" })).status).toBe(401);
  });
});

describe("a role that may not use the API", () => {
  it.each(["Viewer", "admin", "", "Regular "])("gets no token: %j", async (role) => {
    const user = { username: `role ${role}`, password: "guest", role };
    await seedAccount(fixture.database.pool, { ...SEED, user });
    expect(await logIn(fixture.api, user)).toMatchObject({
      status: 403,
      body: { error: "access_denied", error_description: expect.stringContaining("Regular or Admin") },
    });
  });

  it("is refused at once when it is taken from a login that has a token", async () => {
    const { token, userId } = await tokenOf("degraded", "Admin");
    expect((await get(fixture.api, "/me", [], token)).status).toBe(200);
    await putMembership(db, { userId, clientId: fixture.account.clientId, role: "Viewer" });
    for (const path of every()) {
      const answer = await send(fixture.api, { url: path, headers: { authorization: `Bearer ${token}` } });
      expect({ path, status: answer.status }).toEqual({ path, status: 403 });
      expect(answer.body.error).toBe("access_denied");
    }
  });
});

describe("what belongs to another client", () => {
  const NOBODYS = 987_654_321;
  const withoutId = (answer: Answer, id: number) => ({
    status: answer.status,
    body: JSON.stringify(answer.body).replaceAll(String(id), "?"),
    headers: { ...answer.headers, date: undefined, "content-length": undefined },
  });

  it.each(IN_PROJECT)("looks like what does not exist: %s", async (path) => {
    const theirs = await fixture.get(`/projects/${other.projectId}${path}`);
    const nobodys = await fixture.get(`/projects/${NOBODYS}${path}`);
    expect(theirs.status).toBe(404);
    expect(withoutId(theirs, other.projectId)).toEqual(withoutId(nobodys, NOBODYS));
  });

  it("also where a location list would be made in it, or shared with it", async () => {
    const post = (projectId: number, body: object) =>
      send(fixture.api, {
        method: "POST",
        url: `/projects/${projectId}/group/location/`,
        headers: { authorization: `Bearer ${fixture.token}` },
        payload: body,
      });
    const list = { name: "Cities", locations: [{ id: "bos1" }] };
    const [theirs, nobodys] = [await post(other.projectId, list), await post(NOBODYS, list)];
    expect(theirs.status).toBe(404);
    expect(withoutId(theirs, other.projectId)).toEqual(withoutId(nobodys, NOBODYS));
    const shared = async (id: number) =>
      withoutId(await post(fixture.account.projectId, { ...list, sharedProjectIds: [id] }), id);
    expect((await shared(other.projectId)).status).toBe(400);
    expect(await shared(other.projectId)).toEqual(await shared(NOBODYS));
  });

  it.each(["mentions", "mentions/count", "volume/queries/days", "hashtags"])(
    "cannot be asked about in one's own project: data/%s",
    async (path) => {
      const ask = async (name: string, id: number) => {
        const dates = [
          ["startDate", "2026-03-01"],
          ["endDate", "2026-03-02"],
        ] as const;
        const own = `/projects/${fixture.account.projectId}/data/${path}`;
        return withoutId(await fixture.get(own, [...dates, [name, id]]), id);
      };
      const [theirs = 0] = other.queries.values();
      for (const [name, id] of [
        ["queryId", theirs],
        ["queryGroupId", group],
      ] as const) {
        expect((await ask(name, id)).status).toBe(400);
        expect(await ask(name, id)).toEqual(await ask(name, NOBODYS));
      }
    },
  );

  it("shows in no list", async () => {
    for (const path of [
      ...ELSEWHERE,
      ...IN_PROJECT.map((path) => `/projects/${fixture.account.projectId}${path}`),
    ]) {
      const { body } = await fixture.get(path);
      expect(JSON.stringify(body)).not.toMatch(/Zebra|Rival|takeover|z\.example|eve@/);
    }
  });
});

test("a good token works in the header, in whatever capitals, and as a parameter", async () => {
  for (const authorization of [
    `bearer ${fixture.token}`,
    `Bearer ${fixture.token}`,
    `BEARER  ${fixture.token}`,
  ])
    expect((await send(fixture.api, { url: "/me", headers: { authorization } })).status).toBe(200);
  expect((await get(fixture.api, "/me", [["access_token", fixture.token]])).status).toBe(200);
});

test("the logout that /me links to takes back the token that was sent, and no other", async () => {
  const { token } = await tokenOf("leaving");
  const { links } = (await get(fixture.api, "/me", [], token)).body;
  expect((await get(fixture.api, links.user, [], token)).body.username).toBe("leaving");
  expect(await get(fixture.api, links.logout, [], token)).toMatchObject({ status: 200, body: {} });
  expect((await get(fixture.api, "/me", [], token)).status).toBe(401);
  expect((await fixture.get("/me")).status).toBe(200);
});
