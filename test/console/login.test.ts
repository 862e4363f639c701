import { afterAll, beforeAll, expect, test } from "vitest";
import { localPath } from "../../src/console/login-routes.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const LOGIN = { username: "team", password: "correct horse" };
let web: TestConsole;

beforeAll(async () => {
  web = await startTestConsole(NOW, { settings: { login: LOGIN, publicUrl: "http://earshot.example" } });
});
afterAll(() => web.close());

const ask = (path: string, options: RequestInit = {}) =>
  fetch(`${web.url}${path}`, {
    redirect: "manual",
    ...options,
    headers: { accept: "text/html", ...options.headers },
  });

/** The login form as a browser would send it. */
async function logIn(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const page = await ask("/login?next=%2Falerts%3Fstate%3Dopen");
  const body = await page.text();
  const token = /name="token" value="([^"]+)"/.exec(body)?.[1] ?? "";
  const next = /name="next" value="([^"]+)"/.exec(body)?.[1] ?? "";
  return ask("/login", {
    method: "POST",
    headers: { cookie: cookieOf(page), "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({ token, next, ...LOGIN, ...fields }),
  });
}

function cookieOf(response: Response): string {
  return (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

test("without a login there is no page, part, frame, stream or gauge", async () => {
  for (const path of ["/", "/alerts", "/?part=mentions", "/inbox/email/1/html", "/metrics"]) {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/login?next=${encodeURIComponent(path)}`,
    ]);
  }
  for (const path of ["/live", "/mentions.json"]) {
    expect((await ask(path, { headers: { accept: "*/*" } })).status).toBe(401);
  }
  expect((await ask("/?part=mentions", { headers: { "hx-request": "true" } })).status).toBe(401);
  expect((await ask("/healthz")).status).toBe(200);
  expect((await ask("/assets/console.css")).status).toBe(200);
});

test("also a page with a wildcard in its search is opened after the login, and no other site", () => {
  for (const path of ["/mentions?contains=fire*", "/mentions?contains=(a,b)&query=1:2", "/@x"])
    expect(localPath(path)).toBe(path);
  for (const path of ["//evil.example", "/\\evil.example", "https://evil.example", "x", "/\n/evil.example"])
    expect(localPath(path)).toBe("/");
});

test("the right login opens the page that was asked for, with a cookie that scripts cannot read", async () => {
  const answer = await logIn({});
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/alerts?state=open"]);
  expect(answer.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict$/);
  const page = await ask("/", { headers: { cookie: cookieOf(answer) } });
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('action="/logout"');
});

test("a form that another site sent is refused", async () => {
  expect((await logIn({ token: "guessed" })).status).toBe(403);
  expect((await logIn({}, { cookie: "earshot-form=planted" })).status).toBe(403);
  for (const site of ["cross-site", "same-site", "none"])
    expect((await logIn({}, { "sec-fetch-site": site })).status).toBe(403);
  for (const origin of ["https://evil.example", "http://earshot.example.evil.example", "x"])
    expect((await logIn({}, { origin })).status).toBe(403);
});

test("a form of our own page is taken at the address that a proxy has for it, and at ours", async () => {
  for (const origin of ["http://earshot.example", web.url, "null"])
    expect((await logIn({}, { origin, "sec-fetch-site": "same-origin" })).status).toBe(303);
});

test("the login leads nowhere but to this console", async () => {
  for (const next of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    expect((await logIn({ next })).headers.get("location")).toBe("/");
  }
});

test("logging out needs its own form and ends the session", async () => {
  const strangers = await ask("/login");
  const planted = /name="token" value="([^"]+)"/.exec(await strangers.text())?.[1] ?? "";
  const login = await ask("/login", {
    method: "POST",
    headers: { cookie: cookieOf(strangers), "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token: planted, next: "/", ...LOGIN }),
  });
  const cookie = cookieOf(login);
  const page = await (await ask("/", { headers: { cookie } })).text();
  const token = /action="\/logout"><input type="hidden" name="token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const post = (given: string) =>
    ask("/logout", {
      method: "POST",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ token: given }),
    });
  expect((await post("guessed")).status).toBe(403);
  // Whoever gave this browser its cookie before the login knows no form of the session.
  expect((await post(planted)).status).toBe(403);
  expect((await ask("/", { headers: { cookie } })).status).toBe(200);
  expect((await post(token)).headers.get("location")).toBe("/login");
  expect((await ask("/", { headers: { cookie } })).status).toBe(303);
});

test("programs may send the login with each question", async () => {
  const basic = (password: string) => `Basic ${Buffer.from(`team:${password}`).toString("base64")}`;
  const headers = { accept: "application/json" };
  const right = await ask("/alerts.json", { headers: { ...headers, authorization: basic(LOGIN.password) } });
  expect(right.status).toBe(200);
  const wrong = await ask("/alerts.json", { headers: { ...headers, authorization: basic("wrong") } });
  expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([401, null]);
});

test("a caller that guesses passwords has to wait, even with the right one", async () => {
  // The program's wrong password, above, was the first of five.
  for (let i = 0; i < 4; i++) expect((await logIn({ password: `guess ${i}` })).status).toBe(401);
  const answer = await logIn({});
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
});
