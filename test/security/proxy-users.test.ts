import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { addUser, changeUser } from "../../src/console/auth/manage-users.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, tokenIn } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const closing = createClosing();
afterAll(() => closing.close());

async function behind(from: string[], more: { role?: "viewer" } = {}): Promise<TestConsole> {
  const web = await startTestConsole(NOW, {
    settings: { proxy: { header: "X-Forwarded-User", from, ...more }, trustedProxies: ["127.0.0.1"] },
  });
  closing.add(web.close);
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  await addUser(parts, { name: "ann", role: "admin", email: null, password: null, by: "test" });
  return web;
}
const named = (web: TestConsole, name: string, path = "/users", more: Record<string, string> = {}) =>
  aVisitor(web.url).ask(path, { headers: { "x-forwarded-user": name, ...more } });

test("who the proxy names is a user with their role, without a password", async () => {
  const web = await behind(["127.0.0.0/8"]);
  expect((await named(web, "ann")).status).toBe(200);
  expect(await (await named(web, "Ann", "/account")).text()).toContain("<h1>ann</h1>");
  // Without the header it is the login of always.
  expect((await aVisitor(web.url).ask("/users")).status).toBe(303);
  for (const name of ["nobody", "", "<script>", "ann, bob"])
    expect([name, (await named(web, name)).status]).toEqual([name, 403]);
  await changeUser({ stores: web.stores, namesOfFile: [], now: NOW }, "ann", { do: "end" });
  expect((await named(web, "ann")).status).toBe(403);
});

test("from any other address the header is refused, whatever other headers say of the address", async () => {
  const web = await behind(["192.0.2.1", "2001:db8::/32"]);
  for (const more of [{}, { "x-forwarded-for": "192.0.2.1" }, { "x-real-ip": "192.0.2.1" }]) {
    const answer = await named(web, "ann", "/users", more);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("web.proxy.from")]);
  }
  expect((await aVisitor(web.url).ask("/login")).status).toBe(200);
});

test("two names in one request are refused, in whatever letters the header is written", async () => {
  const web = await behind(["127.0.0.1"]);
  const statusOf = (names: readonly string[]) =>
    new Promise((resolve, reject) => {
      const asked = request(`${web.url}/users`, (answer) => {
        text(answer).then(() => resolve(answer.statusCode), reject);
      });
      asked.setHeader("accept", "text/html");
      asked.setHeader("X-FORWARDED-USER", names);
      asked.end();
    });
  // Also where each of them, alone, would be let in.
  const names = [["ann"], ["mallory", "ann"], ["ann", "mallory"], ["ann", "ann"]];
  expect(await Promise.all(names.map(statusOf))).toEqual([200, 403, 403, 403]);
});

test("a new name is a user with the role of the configuration, and what they do carries their name", async () => {
  const web = await behind(["127.0.0.1"], { role: "viewer" });
  expect((await named(web, "Çelik", "/alerts", {})).status).toBe(403);
  const utf8 = Buffer.from("Çelik").toString("latin1");
  expect((await named(web, utf8, "/alerts")).status).toBe(200);
  expect(await web.stores.users.find("çelik")).toMatchObject({ name: "Çelik", role: "viewer" });
  expect((await named(web, utf8)).status).toBe(403);
  const visitor = aVisitor(web.url);
  const page = await (await visitor.ask("/account", { headers: { "x-forwarded-user": utf8 } })).text();
  const made = await visitor.post(
    "/account/tokens",
    { token: tokenIn(page.split('<main id="main"')[1] ?? ""), label: "mine", scope: "read", length: "7d" },
    { "x-forwarded-user": utf8 },
  );
  expect(made.status).toBe(200);
  const [entry] = await web.stores.audit.list({ who: null, action: "token", from: null, to: null }, null, 1);
  expect(entry).toMatchObject({ actor: { login: "Çelik" }, role: "viewer", target: "mine" });
});
