import { afterAll, beforeAll, expect, test } from "vitest";
import { addUser, changeUser } from "../../src/console/auth/manage-users.ts";
import { roleOf } from "../../src/console/auth/open-id.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { CLIENT, type OpenIdProvider, startOpenIdProvider } from "../fakes/open-id-provider.ts";
import { aVisitor, type ConsoleVisitor } from "./console-visitor.ts";

const NOW = Date.now();
const PASSWORD = "four words in a row";
const closing = createClosing();
let provider: OpenIdProvider;
let web: TestConsole;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  closing.add(provider.close);
  const oidc = {
    ...{ issuer: provider.issuer, ...CLIENT, label: "Brand ID", scopes: ["openid", "profile", "email"] },
    ...{ nameClaim: "preferred_username", rolesClaim: "groups" },
    roles: { admin: ["earshot-admins"], responder: ["comms", "on-call"] },
  };
  web = await startTestConsole(NOW, { settings: { oidc } });
  closing.add(web.close);
  provider.serve(`${web.url}/login/oidc/callback`);
  provider.people.set("1", {
    preferred_username: "Ann",
    groups: ["all", "comms"],
    email: "ann@brand.example",
  });
  provider.people.set("2", { preferred_username: "bob", groups: ["all"] });
  provider.people.set("3", { preferred_username: "cleo", groups: "earshot-admins" });
  provider.people.set("4", { preferred_username: "dora", groups: ["comms"] });
  await addUser(parts(), { name: "cleo", role: "viewer", email: null, password: PASSWORD, by: "test" });
});
afterAll(() => closing.close());

const parts = () => ({ stores: web.stores, namesOfFile: [], now: Date.now() });

/** To the provider and back, up to the address with its answer. */
async function answerFor(visitor: ConsoleVisitor, person: string): Promise<string> {
  const sent = await visitor.ask("/login/oidc?next=/alerts");
  expect(sent.status).toBe(303);
  const back = await provider.logIn(sent.headers.get("location") ?? "", person);
  expect(back.startsWith(`${web.url}/login/oidc/callback?`)).toBe(true);
  return back.slice(web.url.length);
}
const logIn = async (visitor: ConsoleVisitor, person: string) =>
  visitor.ask(await answerFor(visitor, person));
const isInside = async (visitor: ConsoleVisitor) => (await visitor.ask("/account")).status === 200;

test("whoever the provider knows is a user, with the role that a claim gives, at each login", async () => {
  const ann = aVisitor(web.url);
  expect(await (await ann.ask("/login")).text()).toContain("Log in with Brand ID");
  const back = await logIn(ann, "1");
  // No redirect: from another site a browser would not send the strict cookie of the session with it.
  expect([back.status, await back.text()]).toEqual([
    200,
    expect.stringContaining('http-equiv="refresh" content="0; url=/alerts"'),
  ]);
  expect(await (await ann.ask("/account")).text()).toContain("responder: ");
  expect(await web.stores.users.find("ann")).toMatchObject({
    ...{ name: "Ann", role: "responder", email: "ann@brand.example", passwordHash: null },
    openId: { issuer: provider.issuer, subject: "1" },
  });
  expect((await ann.ask("/users")).status).toBe(403);
  provider.people.set("1", { preferred_username: "Another name", groups: ["earshot-admins"] });
  const again = aVisitor(web.url);
  await logIn(again, "1");
  expect(await web.stores.users.find("ann")).toMatchObject({ name: "Ann", role: "admin" });
  expect((await again.ask("/users")).status).toBe(200);
  const [entry] = await web.stores.audit.list({ who: "ann", action: "login", from: null, to: null }, null, 1);
  expect(entry).toMatchObject({ outcome: "Done", detail: "OpenID Connect", actor: { login: "Ann" } });
});

test("who has no role, has ended, or has the name of another user is not let in", async () => {
  for (const [person, because] of [
    ["2", "no role here"],
    ["3", "another user is called cleo already"],
  ] as const) {
    const visitor = aVisitor(web.url);
    const back = await logIn(visitor, person);
    expect([back.status, await back.text()]).toEqual([403, expect.stringContaining(because)]);
    expect(await isInside(visitor)).toBe(false);
  }
  expect(await web.stores.users.find("cleo")).toMatchObject({ role: "viewer", openId: null });
  const dora = aVisitor(web.url);
  await logIn(dora, "4");
  expect(await isInside(dora)).toBe(true);
  await changeUser(parts(), "dora", { do: "end" });
  expect(await isInside(dora)).toBe(false);
  // What the provider says of somebody who has ended changes nothing.
  provider.people.set("4", { preferred_username: "dora", groups: ["earshot-admins"] });
  const returned = aVisitor(web.url);
  const back = await logIn(returned, "4");
  expect([back.status, await back.text()]).toEqual([403, expect.stringContaining("dora has ended")]);
  expect(await isInside(returned)).toBe(false);
  expect(await web.stores.users.find("dora")).toMatchObject({
    role: "responder",
    endedAt: expect.any(Number),
  });
  // Brought back by an admin, the same identity is the same user.
  await changeUser(parts(), "dora", { do: "restore" });
  expect(await isInside(returned)).toBe(false);
  expect((await logIn(returned, "4")).status).toBe(200);
  expect(await isInside(returned)).toBe(true);
});

test("an answer works once, in the browser that asked, and not with another state", async () => {
  const ann = aVisitor(web.url);
  const answer = await answerFor(ann, "1");
  // Login CSRF: the answer of an attacker's login, brought to somebody else's browser.
  const victim = aVisitor(web.url);
  expect((await victim.ask(answer)).status).toBe(403);
  await answerFor(victim, "1");
  expect((await victim.ask(answer)).status).toBe(403);
  expect(await isInside(victim)).toBe(false);
  const changed = new URL(answer, web.url);
  changed.searchParams.set("state", "guessed");
  const other = aVisitor(web.url);
  await answerFor(other, "1");
  expect((await other.ask(`${changed.pathname}${changed.search}`)).status).toBe(403);
  expect((await ann.ask(answer)).status).toBe(200);
  const cookies = new Map(ann.cookies);
  expect((await aVisitor(web.url, cookies).ask(answer)).status).toBe(403);
});

test("a code of another login, put into one's own answer, opens nothing: PKCE and nonce", async () => {
  const [attacker, ann] = [aVisitor(web.url), aVisitor(web.url)];
  const own = new URL(await answerFor(attacker, "1"), web.url);
  const stolen = new URL(await answerFor(ann, "1"), web.url).searchParams.get("code") ?? "";
  own.searchParams.set("code", stolen);
  expect((await attacker.ask(`${own.pathname}${own.search}`)).status).toBe(403);
  expect(await isInside(attacker)).toBe(false);
});

test("an answer of another issuer is refused: no mix-up", async () => {
  for (const issuer of ["https://evil.example", ""]) {
    const visitor = aVisitor(web.url);
    const answer = new URL(await answerFor(visitor, "1"), web.url);
    expect(answer.searchParams.get("iss")).toBe(provider.issuer);
    if (issuer === "") answer.searchParams.delete("iss");
    else answer.searchParams.set("iss", issuer);
    expect((await visitor.ask(`${answer.pathname}${answer.search}`)).status).toBe(403);
    expect(await isInside(visitor)).toBe(false);
  }
});

test("the browser is sent on to our own pages alone", async () => {
  for (const next of ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    const visitor = aVisitor(web.url);
    const sent = await visitor.ask(`/login/oidc?next=${encodeURIComponent(next)}`);
    const back = await provider.logIn(sent.headers.get("location") ?? "", "1");
    const page = await (await visitor.ask(back.slice(web.url.length))).text();
    expect(page).toContain('content="0; url=/"');
    expect(page).not.toContain("evil.example");
  }
});

test("the highest role of a claim counts, also of a claim in a claim", () => {
  const settings = { rolesClaim: "realm.roles", roles: { viewer: ["v"], editor: ["e", "f"], admin: ["a"] } };
  for (const [claims, role] of [
    [{ realm: { roles: ["v", "f"] } }, "editor"],
    [{ "realm.roles": "a", realm: { roles: ["v"] } }, "admin"],
    [{ realm: { roles: [] } }, null],
    [{ realm: "roles" }, null],
    [{}, null],
    [{ realm: { roles: [["a"], { a: 1 }, null, 7] } }, null],
  ] as const)
    expect(roleOf(claims, settings)).toBe(role);
  expect(roleOf({}, { ...settings, defaultRole: "viewer" })).toBe("viewer");
});
