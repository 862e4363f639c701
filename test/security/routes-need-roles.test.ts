import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fastify } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCESS, AUDITED, declareRoutes } from "../../src/console/auth/access.ts";
import { addToken } from "../../src/console/auth/access-tokens.ts";
import { addUser, changeUser } from "../../src/console/auth/manage-users.ts";
import { DAY } from "../../src/lib/instant.ts";
import { TokenScope } from "../../src/monitor/model/access-token.ts";
import { nameKey, type UserRole } from "../../src/monitor/model/user.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { EVERY_PART } from "../console/whole-console.ts";
import { aVisitor, type ConsoleVisitor } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORD = "four words in a row";
const ROLES: readonly UserRole[] = ["viewer", "responder", "editor", "admin"];

/**
 * Who may ask what, written down a second time: who changes the table of routes by mistake is stopped here. Of each
 * role the routes that need it; whatever is not named is for viewers, or for strangers.
 */
const NEEDS: Readonly<Partial<Record<UserRole, readonly string[]>>> = {
  responder: [
    "POST /alerts/:id/act",
    "POST /alerts/work",
    "POST /mentions/categories",
    "POST /incidents/:id/statement",
    "POST /incidents/:id/review",
    "POST /incidents/:id/comment",
    "POST /incidents/:id/room",
    "POST /incidents/:id/room/end",
    "POST /mentions/sentiment",
    "POST /mentions/work",
    "POST /mentions/note",
    "POST /mentions/undo",
    "POST /lists",
    "POST /lists/end",
    "POST /silences",
    "POST /silences/:id/expire",
    "POST /inbox/press",
    "POST /feeds/try",
  ],
  editor: ["POST /rules/save", "POST /templates/save", "POST /templates/shipped"],
  admin: [
    "POST /setup/write",
    "GET /users",
    "POST /users",
    "POST /users/change",
    "GET /audit",
    "GET /audit.jsonl",
  ],
};
const STRANGERS = [
  "GET /login",
  "POST /login",
  "POST /login/code",
  "GET /login/oidc",
  "GET /login/oidc/callback",
  "GET /healthz",
  "GET /readyz",
  "GET /act/:link",
  "POST /act/:link",
  "GET /unsubscribe/*",
  "POST /unsubscribe/*",
  "GET /invitations/:code",
  "POST /invitations/:code",
  "GET /rooms/:secret",
  "POST /slack/interactions",
  "POST /feeds/push",
  "GET /feeds/websub/:id",
  "POST /feeds/websub/:id",
];

let folder: string;
let web: TestConsole;
const visitors = new Map<string, ConsoleVisitor>();
let routes: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-routes-"));
  web = await startTestConsole(NOW, {
    settings: { host: "127.0.0.1", editRules: true, editSetup: true },
    ...{ folder, templates: folder },
    deps: EVERY_PART,
  });
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  for (const role of ROLES) {
    const asked = { name: role, role, email: null, password: PASSWORD, by: "test" };
    expect(await addUser(parts, asked)).toMatchObject({ outcome: "Done" });
    const visitor = aVisitor(web.url);
    expect((await visitor.logIn(role, PASSWORD)).status).toBe(303);
    visitors.set(role, visitor);
  }
  const ended = aVisitor(web.url);
  await ended.logIn("admin", PASSWORD);
  const [session] = await web.stores.sessions.list(nameKey("admin"), Date.now());
  expect(await web.stores.sessions.end(session?.id ?? "", null, Date.now())).toBe(true);
  visitors.set("an ended session", ended);
  const gone = aVisitor(web.url);
  await addUser(parts, { name: "gone", role: "admin", email: null, password: PASSWORD, by: "test" });
  await gone.logIn("gone", PASSWORD);
  await changeUser(parts, "gone", { do: "end" });
  visitors.set("a user who ended", gone);
  visitors.set("a stranger", aVisitor(web.url));
  routes = web.routes
    .filter(({ method }) => method !== "HEAD")
    .map(({ method, path }) => `${method} ${path}`);
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true });
});

test("every route of the table is there, and every route is in the table", () => {
  expect([...routes].sort()).toEqual(Object.keys(ACCESS).sort());
});

test("every route that changes something is audited, under the name of a route that there is", () => {
  expect(Object.keys(AUDITED).filter((route) => !routes.includes(route))).toEqual([]);
  const others = routes.filter((route) => !route.startsWith("GET ") && AUDITED[route] === undefined);
  expect(others.sort()).toEqual([
    ...[
      "POST /feeds/push",
      "POST /feeds/websub/:id",
      "POST /rules/download",
      "POST /rules/try",
      "POST /setup",
      "POST /slack/interactions",
      "POST /templates/try",
    ],
  ]);
});

test("a route that is not in the table cannot be registered", () => {
  const app = fastify();
  declareRoutes(app);
  expect(() => app.get("/secrets", async () => "all of them")).toThrow("GET /secrets is not in the table");
});

test("the table says what was agreed on", () => {
  for (const route of routes) {
    const access = ACCESS[route];
    const isForStrangers = STRANGERS.includes(route) || route.startsWith("GET /assets/");
    if (isForStrangers) expect([route, access]).toEqual([route, "Public"]);
    else expect([route, access]).toEqual([route, expect.objectContaining({ role: neededFor(route) })]);
  }
});

function neededFor(route: string): UserRole {
  return ROLES.find((role) => NEEDS[role]?.includes(route)) ?? "viewer";
}

/** What a token opens besides: of each scope the routes that others must not, and of `read` all pages and JSON. */
const FOR_PEOPLE = [
  ...["GET /views", "POST /views", "POST /views/end", "POST /views/mail", "POST /views/mail/end"],
  ...["GET /setup", "POST /setup", "POST /logout", "POST /rules/try", "POST /rules/download", "GET /account"],
  ...[
    "POST /account/password",
    "POST /account/sessions/end",
    "POST /account/slack",
    "POST /account/slack/end",
    "POST /account/second-factor",
    "POST /account/second-factor/confirm",
    "POST /account/second-factor/end",
    "POST /account/tokens",
    "POST /account/tokens/end",
  ],
  ...[
    "POST /inbox/press",
    "POST /feeds/try",
    "POST /rules/save",
    "GET /templates/edit",
    "GET /templates/html",
    "POST /templates/try",
    "POST /templates/save",
    "POST /templates/shipped",
    "POST /setup/write",
    "GET /users",
    "POST /users",
  ],
  ...["POST /users/change", "GET /audit", "POST /incidents/:id/room", "POST /incidents/:id/room/end"],
];
const FOR_ACTING = [
  "POST /mentions/categories",
  "POST /incidents/:id/statement",
  "POST /incidents/:id/review",
  "POST /incidents/:id/comment",
  "POST /mentions/sentiment",
  "POST /mentions/work",
  "POST /mentions/note",
  "POST /mentions/undo",
  "POST /lists",
  "POST /lists/end",
  "POST /alerts/:id/act",
  "POST /alerts/work",
  "POST /silences",
  "POST /silences/:id/expire",
];

function isOpenedBy(route: string, scope: TokenScope): boolean {
  if (FOR_PEOPLE.includes(route)) return false;
  if (route === "GET /metrics") return scope === "metrics";
  if (FOR_ACTING.includes(route)) return scope === "act";
  if (route.endsWith(".atom")) return scope === "atom" || scope === "read" || scope === "act";
  return scope === "read" || scope === "act";
}

type Answer = "TurnedAway" | "NeedsRole" | "NeedsScope" | "LetIn";

/** Forms are sent without their token: whoever is let in is refused for that, so that nothing is done. */
async function ask(visitor: ConsoleVisitor, route: string, more: RequestInit = {}): Promise<Answer> {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern
    .replace(":id", "0199b2c4-7d1a-7000-8000-000000000000")
    .replace(":theme", "dark")
    .replace(/:link|:code|:secret|\*/, "x");
  const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded" };
  const answer = await visitor.ask(path, {
    method,
    ...more,
    headers: { ...headers, ...more.headers },
    ...(method === "POST" && { body: "" }),
  });
  if (answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    await answer.body?.cancel();
    return "LetIn";
  }
  const text = await answer.text();
  expect(answer.status, `${route}: ${text}`).not.toBe(500);
  if (answer.status === 401 && text.includes("log in first")) return "TurnedAway";
  if (answer.status === 403 && text.includes("This token does not open that")) return "NeedsScope";
  return answer.status === 403 && text.includes("needs the role") ? "NeedsRole" : "LetIn";
}

describe.each(TokenScope.options)("every route, asked with a token with the scope %s", (scope) => {
  test.each(ROLES)("of a %s, is open or refused as the table says", async (role) => {
    const asked = { user: role, label: "test", scope, lengthMs: DAY, now: Date.now() };
    const added = await addToken(web.stores, asked);
    if (added.outcome === "Refused") throw new Error(added.because);
    const headers = { authorization: `Bearer ${added.text}` };
    for (const route of routes) {
      const access = ACCESS[route];
      const expected: Answer =
        access === "Public"
          ? "LetIn"
          : !isOpenedBy(route, scope)
            ? "NeedsScope"
            : ROLES.indexOf(role) >= ROLES.indexOf(neededFor(route))
              ? "LetIn"
              : "NeedsRole";
      expect([route, await ask(aVisitor(web.url), route, { headers })]).toEqual([route, expected]);
    }
    await web.stores.accessTokens.end(added.token.id, null, Date.now());
    expect(await ask(aVisitor(web.url), "GET /alerts.json", { headers })).toBe("TurnedAway");
  });
});

test.each([...ROLES, "an ended session", "a user who ended", "a stranger"])(
  "every route, asked by %s, is open or refused as the table says",
  async (who) => {
    const visitor = visitors.get(who);
    if (visitor === undefined) throw new Error(`nobody is ${who}`);
    const cookies = new Map(visitor.cookies);
    const role = ROLES.find((one) => one === who);
    for (const route of routes) {
      visitor.cookies.clear();
      for (const [name, value] of cookies) visitor.cookies.set(name, value);
      const access = ACCESS[route];
      const expected: Answer =
        access === "Public"
          ? "LetIn"
          : role === undefined
            ? "TurnedAway"
            : ROLES.indexOf(role) >= ROLES.indexOf(neededFor(route))
              ? "LetIn"
              : "NeedsRole";
      expect([route, await ask(visitor, route)]).toEqual([route, expected]);
    }
  },
);

test("HEAD opens what GET opens, and other methods nothing", async () => {
  const visitor = visitors.get("viewer");
  for (const path of ["/", "/metrics", "/rules/save", "/setup/write"]) {
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      expect((await visitor?.ask(path, { method }))?.status).toBe(404);
      expect((await aVisitor(web.url).ask(path, { method, headers: { accept: "*/*" } })).status).toBe(401);
    }
  }
  expect((await aVisitor(web.url).ask("/metrics", { method: "HEAD" })).status).toBe(401);
  expect((await visitor?.ask("/metrics", { method: "HEAD" }))?.status).toBe(200);
});

test("a viewer's pages have no button that would be refused", async () => {
  const silences = async (who: string) => (await visitors.get(who)?.ask("/silences"))?.text();
  expect(await silences("viewer")).not.toContain('action="/silences"');
  expect(await silences("responder")).toContain('action="/silences"');
  // Who has a user of their own is known, and types no name.
  expect(await silences("responder")).not.toContain("Your name");
});
