import { connect } from "node:net";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import {
  createClient,
  createUser,
  findUser,
  listMemberships,
  putMembership,
} from "../../src/listening-api/store/accounts.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { hashPassword, verifyPassword } from "../../src/listening-api/store/password.ts";
import { type Fixture, get, logIn, SEED, startFixture, T0 } from "./fixture.ts";

let fixture: Fixture;
let db: Database;
let baseUrl: URL;
beforeAll(async () => {
  fixture = await startFixture();
  baseUrl = new URL(await fixture.api.listen({ host: "127.0.0.1", port: 0 }));
  db = createDatabase(fixture.database.pool);
});
afterAll(() => fixture.stop());

const login = async (username: string, clientId: number) => ({
  username,
  passwordHash: await hashPassword("secret"),
  firstName: "Zoë",
  lastName: "Ó Brien",
  createdAt: T0,
  clientId,
  role: "Regular",
});

test("a client, its login and its records, with what was set", async () => {
  const tags = { "ratelimit.limit": "600", "ratelimit.period": "10", rules_only: "false" };
  const details = {
    website: "https://full.example",
    parentId: 7,
    theme: "dark",
    queryLimit: 5,
    id: 1,
    tags: "",
  };
  const clientId = await createClient(db, { name: "Full", tags, details, createdAt: T0 });
  await createUser(db, await login("zoe@full.example", clientId));
  const { access_token } = (await logIn(fixture.api, { username: "zoe@full.example", password: "secret" }))
    .body;
  const client = (await get(fixture.api, "/client", [], access_token)).body;
  expect(client).toMatchObject({
    id: clientId,
    name: "Full",
    tags,
    website: "https://full.example",
    parentId: 7,
    theme: "dark",
    startDate: "2026-03-03T12:00:00.000+0000",
    expiryDate: null,
    owner: "zoe@full.example",
  });
  expect(Object.keys(client)).toHaveLength(30);
  expect((await get(fixture.api, "/me", [], access_token)).body).toEqual({
    id: expect.any(Number),
    username: "zoe@full.example",
    uiRole: "Regular",
    firstName: "Zoë",
    lastName: "Ó Brien",
    tags: {},
    client: {
      id: clientId,
      name: "Full",
      theme: "dark",
      parentId: 7,
      userInactivityTimeoutMinutes: 0,
      priceStructureName: "local",
      queryLimit: 5,
      mentionLimit: -1,
      priceStructureLineCost: 0,
      startDate: "2026-03-03T12:00:00.000+0000",
    },
    crmAccount: null,
    passwordExpiryDate: null,
    creationDate: "2026-03-03T12:00:00.000+0000",
    links: { user: "/user", logout: "/logout" },
  });
});

it("makes no client and no login twice, in whatever capitals", async () => {
  await expect(createClient(db, { name: "Acme", createdAt: T0 })).rejects.toThrow(
    'There is a client "Acme" already.',
  );
  const { clientId } = fixture.account;
  await expect(createUser(db, await login("ANN@acme.example", clientId))).rejects.toThrow(
    'There is a login "ANN@acme.example" already.',
  );
  expect((await findUser(db, "aNN@Acme.example"))?.id).toBe(fixture.account.userId);
});

test("a login belongs to the clients it was let into, with a role in each", async () => {
  const { clientId, userId } = fixture.account;
  const other = await createClient(db, { name: "Another", createdAt: T0 });
  await putMembership(db, { userId, clientId: other, role: "Viewer" });
  await putMembership(db, { userId, clientId: other, role: "Regular" });
  expect(await listMemberships(db, userId)).toEqual([
    { clientId, role: "Admin" },
    { clientId: other, role: "Regular" },
  ]);
  await fixture.database.pool.query("delete from local_api.membership where client_id = $1", [other]);
});

test("a project shows its time zone, its language and where its queries are", async () => {
  const { clientId } = fixture.account;
  const german = { name: "Deutsch", description: "<b>", timezone: "Europe/Vienna", defaultLanguage: "de" };
  const { projectId } = await seedAccount(fixture.database.pool, { ...SEED, project: german, queries: [] });
  const { body } = await fixture.get(`/projects/${projectId}`);
  expect(body).toEqual({
    id: projectId,
    name: "Deutsch",
    description: "<b>",
    billableClientId: clientId,
    billableClientName: "Acme",
    timezone: "Europe/Vienna",
    billableClientIsPitch: false,
    defaultLanguage: "de",
    defaultLangCodes: ["de"],
    links: { queries: `/projects/${projectId}/queries` },
  });
  expect((await fixture.get(body.links.queries)).body.results).toEqual([]);
});

test("passwords are salted, and a hash that is none fits nothing", async () => {
  const [first, second] = [await hashPassword("secret"), await hashPassword("secret")];
  expect(first).not.toBe(second);
  expect(await verifyPassword("secret", first)).toBe(true);
  expect(await verifyPassword("Secret", first)).toBe(false);
  for (const hash of [undefined, "", "secret", "scrypt$16384$8$1$$", "scrypt$$"])
    expect(await verifyPassword("secret", hash)).toBe(false);
});

test.each([
  ["what is no HTTP at all", "hello\r\n\r\n", 400],
  ["headers without end", `GET /me HTTP/1.1\r\nhost: a\r\nx: ${"x".repeat(20_000)}\r\n\r\n`, 431],
])("%s is answered in the errors envelope", async (_, text, status) => {
  const answer = await new Promise<string>((resolve, reject) => {
    let received = "";
    const socket = connect(Number(baseUrl.port), baseUrl.hostname, () => socket.write(text));
    socket.on("data", (chunk) => (received += chunk)).on("end", () => resolve(received));
    socket.on("error", reject);
  });
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({
    errors: [{ code: 0, message: expect.stringMatching(/^expected /) }],
  });
});
