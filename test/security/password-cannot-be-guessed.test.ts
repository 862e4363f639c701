import crypto, { createHmac, scryptSync } from "node:crypto";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { HOUR } from "../../src/lib/instant.ts";
import { signAlertLink } from "../../src/monitor/model/alert-action.ts";
import { SLACK_PATH } from "../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { anAlert } from "../console/make-a-story.ts";
import { SECRET, startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, tokenIn } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORDS = ["sunshine1", "correct horse battery staple"] as const;
const ALERT = anAlert({ openedAt: NOW });
const LINK = signAlertLink(SECRET, { alertId: ALERT.id, action: "acknowledge", by: "desk" }, NOW);

let consoles: readonly TestConsole[];
beforeAll(async () => {
  consoles = await Promise.all(
    PASSWORDS.map(async (password) => {
      const web = await startTestConsole(NOW, {
        settings: { login: { username: "team", password } },
        deps: {
          unsubscribing: { find: async () => null, set: async () => null },
          interactions: [{ path: SLACK_PATH, mostBytes: 1024, take: async () => "NotSigned" }],
        },
      });
      await web.stores.alerts.save([ALERT]);
      return web;
    }),
  );
});
afterAll(() => Promise.all(consoles.map((web) => web.close())));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** From now on everything random is the same in each run, and no time passes: what differs then is the password. */
function holdChanceStill(at: number): void {
  const sessionRequire = createRequire(createRequire(import.meta.url).resolve("@fastify/secure-session"));
  const sodium = sessionRequire("sodium-native") as { randombytes_buf: (buffer: Buffer) => void };
  vi.spyOn(sodium, "randombytes_buf").mockImplementation((buffer) => void buffer.fill(7));
  vi.spyOn(crypto, "randomBytes").mockImplementation(((size: number) => Buffer.alloc(size, 7)) as never);
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  vi.useFakeTimers({ toFake: ["Date"], now: at });
}

/** How a stranger's browser may come, by what it carries. The cookies of each console are its own. */
const STATES: Readonly<Record<string, (web: TestConsole, password: string) => Promise<Map<string, string>>>> =
  {
    nothing: async () => new Map(),
    "cookies that somebody made up": async () =>
      new Map([
        ["earshot", "anything"],
        [
          "earshot-device",
          `${Buffer.alloc(80, 1).toString("base64")};${Buffer.alloc(24, 1).toString("base64")}`,
        ],
      ]),
    "the cookie of the login form": async (web) => {
      const visitor = aVisitor(web.url);
      await visitor.ask("/login");
      return visitor.cookies;
    },
    "the cookies of somebody who logged out": async (web, password) => {
      const visitor = aVisitor(web.url);
      await visitor.logIn("team", password);
      const open = new Map(visitor.cookies);
      await visitor.post("/logout", { token: tokenIn(await (await visitor.ask("/")).text()) });
      return open;
    },
    "the cookie of a known browser": async (web, password) => {
      const visitor = aVisitor(web.url);
      await visitor.logIn("team", password);
      visitor.cookies.delete("earshot");
      return visitor.cookies;
    },
  };

const FORMS: readonly Record<string, string>[] = [
  {},
  { username: "team", password: "wrong", token: "guessed", next: "/" },
];

/** Everything that an answer says, but for what the network adds. */
async function wholeOf(answer: Response): Promise<string> {
  const headers = [...answer.headers].filter(
    ([name]) => !["date", "connection", "keep-alive"].includes(name),
  );
  return JSON.stringify([answer.status, headers, await answer.text()]);
}

test.each(Object.keys(STATES))(
  "no byte that a stranger gets depends on the password, with %s",
  async (state) => {
    const prepare = STATES[state];
    const publicRoutes = (consoles[0]?.routes ?? []).filter(({ access }) => access === "Public");
    expect(publicRoutes.length).toBeGreaterThan(10);
    const answers = [];
    for (const [index, web] of consoles.entries()) {
      const password = PASSWORDS[index] ?? "";
      // Each state has an hour of its own, so that nobody waits for the tries of another.
      holdChanceStill(Date.parse("2026-11-22T12:00:00Z") + Object.keys(STATES).indexOf(state) * HOUR);
      const cookies = (await prepare?.(web, password)) ?? new Map<string, string>();
      const got: [string, string][] = [];
      for (const { method, path } of [...publicRoutes, ...strayPaths]) {
        for (const link of ["x", LINK]) {
          const address = path.replace(":link", link).replace("*", link);
          for (const form of method === "POST" ? FORMS : [null]) {
            const visitor = aVisitor(web.url, new Map(cookies));
            const body = form === null ? {} : { body: new URLSearchParams(form) };
            const answer = await visitor.ask(address, { method, ...body });
            got.push([`${method} ${address} ${JSON.stringify(form)}`, await wholeOf(answer)]);
          }
        }
      }
      // The form as a browser sends it, with a wrong password, until it has to wait.
      for (let i = 0; i < 6; i++) {
        const visitor = aVisitor(web.url, new Map(cookies));
        got.push([`try ${i}`, await wholeOf(await visitor.logIn("team", "wrong"))]);
      }
      answers.push(got);
      vi.restoreAllMocks();
      vi.useRealTimers();
    }
    const [one, other] = answers.map((got) => new Map(got));
    expect([...(one?.keys() ?? [])]).toEqual([...(other?.keys() ?? [])]);
    expect([...(one ?? [])].filter(([asked, whole]) => other?.get(asked) !== whole)).toEqual([]);
    expect(one?.get("try 0")).toContain("[401,");
    expect(one?.get("try 5")).toContain("[429,");
  },
);

/** No route of ours, and near to public ones. */
const strayPaths = ["/act/x/y", "/act", "/login/x", "/unsubscribe", "/assets/none.css", "/healthz/x"].map(
  (path) => ({
    method: "GET",
    path,
  }),
);

test("the key that a password gives signs nothing that a stranger gets, and opens no session", async () => {
  const [web] = consoles;
  if (web === undefined) throw new Error("no console");
  // What the login form once gave away: a token signed with a key that only the name and the password make.
  const key = scryptSync(PASSWORDS[0], "earshot-console team", 32);
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const visitor = aVisitor(web.url);
  const seen = [
    await (await visitor.ask("/login")).text(),
    await (await visitor.ask("/act/x/y", { headers: { cookie: "earshot=anything" } })).text(),
    ...visitor.cookies.values(),
  ].join("\n");
  for (const cookie of ["anything", ...visitor.cookies.values()]) {
    for (const purpose of ["form", "session"]) expect(seen).not.toContain(sign(`${purpose} ${cookie}`));
  }
  const forged = `${Date.now() + 365 * 86_400_000}.bm9uY2U`;
  const answer = await visitor.ask("/alerts.json", {
    headers: { cookie: `earshot=${forged}.${sign(`session ${forged}`)}` },
  });
  expect(answer.status).toBe(303);
});
