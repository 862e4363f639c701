import { afterAll, beforeAll, expect, test } from "vitest";
import { addUser } from "../../src/console/auth/manage-users.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "../security/console-visitor.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORD = "four words in a row";
let web: TestConsole;
let ann: ConsoleVisitor;
let eve: ConsoleVisitor;

beforeAll(async () => {
  web = await startTestConsole(NOW, { deps: { mailsPeople: true }, settings: { timezone: "Europe/Berlin" } });
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  const open = async (name: string, email: string | null) => {
    await addUser(parts, { name, role: "viewer", email, password: PASSWORD, by: "test" });
    const visitor = aVisitor(web.url);
    await visitor.logIn(name, PASSWORD);
    return visitor;
  };
  [ann, eve] = [await open("Ann", "ann@acme.example"), await open("eve", null)];
});
afterAll(() => web.close());

const pageOf = async (who: ConsoleVisitor) => (await who.ask("/views")).text();
async function post(who: ConsoleVisitor, path: string, form: Record<string, string>) {
  return who.post(path, { token: tokenIn(await pageOf(who)), ...form });
}
async function save(who: ConsoleVisitor, title: string, address: string, more: Record<string, string> = {}) {
  await post(who, "/views", { title, address, ...more });
  const all = await web.stores.views.list("ann");
  return all.find((one) => one.title === title)?.id ?? "";
}
const zoneOf = async (id: string, name = "ann") =>
  (await web.stores.views.list(name)).find((one) => one.id === id)?.mailedIn;

test("a user asks for a view every Monday in a zone, changes it, and ends it; the audit log says so", async () => {
  const id = await save(ann, "Weekly <b>", "/insights?last=7d&country=Germany");
  const page = await pageOf(ann);
  expect(page).toContain("Mails go to <bdi>ann@acme.example</bdi>");
  expect(page).toContain('name="timezone" value="Europe/Berlin"');
  expect((await post(ann, "/views/mail", { id, timezone: "Asia/Tokyo" })).status).toBe(303);
  expect(await zoneOf(id)).toBe("Asia/Tokyo");
  expect(await pageOf(ann)).toContain("Sent to you every Monday at 8:00, Asia/Tokyo");
  await post(ann, "/views/mail", { id, timezone: "Europe/Paris" });
  expect(await zoneOf(id)).toBe("Europe/Paris");
  expect(await web.stores.views.mails()).toMatchObject([
    { nameKey: "ann", title: "Weekly <b>", timezone: "Europe/Paris", since: NOW, last: null },
  ]);
  expect((await post(ann, "/views/mail/end", { id })).status).toBe(303);
  expect(await zoneOf(id)).toBeNull();
  const noted = await web.stores.audit.list(
    { who: null, action: "view.mail", from: null, to: null },
    null,
    10,
  );
  expect(noted.map(({ action, detail, target }) => [action, detail, target])).toEqual([
    ["view.mail-end", "", id],
    ["view.mail", "Europe/Paris", id],
    ["view.mail", "Asia/Tokyo", id],
  ]);
});

test("no mail of a search, of fixed days, of nowhere, of somebody else's own view, or without an address", async () => {
  const refused = async (who: ConsoleVisitor, id: string, timezone = "UTC") =>
    (await post(who, "/views/mail", { id, timezone })).status;
  const own = await save(ann, "Own", "/insights/stories?last=30d");
  expect(await refused(ann, own, "Nowhere/Atlantis")).toBe(400);
  expect(await refused(ann, await save(ann, "Search", "/mentions?contains=x"))).toBe(409);
  expect(await refused(ann, await save(ann, "Days", "/insights?from=1772000000000&to=1772500000000"))).toBe(
    409,
  );
  expect(await refused(ann, await save(ann, "Response", "/insights/response?last=7d"))).toBe(409);
  expect(await refused(ann, "0199b2c4-7d1a-7000-8000-000000000000")).toBe(409);
  const shared = await save(ann, "Shared", "/insights/speakers?last=7d", { shared: "yes" });
  expect(await refused(eve, own)).toBe(409);
  expect(await refused(eve, shared)).toBe(409);
  expect(await pageOf(eve)).toContain("You have none here");
  expect(await web.stores.views.mails()).toEqual([]);
  expect((await pageOf(ann)).match(/Get it every Monday/g)).toHaveLength(3);
});
