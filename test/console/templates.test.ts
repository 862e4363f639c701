import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ConsoleSettings } from "../../src/console/common/settings.ts";
import { createPreviews, type Previews } from "../../src/monitor/notify/previews/create-previews.ts";
import { ruleVersion } from "../../src/monitor/rules/load-rules.ts";
import { openTemplates } from "../../src/monitor/templates/open-templates.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const LOGIN = { username: "ann", password: "correct horse" };
const BASIC = `Basic ${Buffer.from("ann:correct horse").toString("base64")}`;
const NAME = "slack/alert-about.mrkdwn";
const EDITOR = { login: LOGIN, editTemplates: true, admins: ["ann"] };
const SUBJECT = "email/alert-subject.header";

let folder: string;
let shipped: string;
let previews: Previews;
let web: TestConsole;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-test-templates-"));
  shipped = await readFile(`templates/${NAME}.hbs`, "utf8");
  previews = createPreviews({
    renderer: await openTemplates(folder),
    digests: () => [],
    editionOf: async () => null,
    contentOf: async () => null,
  });
  web = await start(EDITOR);
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await rm(folder, { recursive: true });
  await mkdir(folder);
});

const start = (settings: Partial<ConsoleSettings>, templates = folder) =>
  startTestConsole(NOW, {
    settings,
    templates,
    deps: { previews },
    reload: async () => "All processes use it.",
  });

const ask = (path: string, init: RequestInit = {}, of = web) =>
  fetch(`${of.url}${path}`, {
    redirect: "manual",
    ...init,
    headers: { accept: "text/html", authorization: BASIC, ...init.headers },
  });
const edit = (name = NAME, of = web) => ask(`/templates/edit?${new URLSearchParams({ name })}`, {}, of);

async function post(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  of = web,
) {
  const page = await edit(NAME, of);
  const token = /name="token" value="([^"]+)"/.exec(
    (await page.text()).split('<main id="main"')[1] ?? "",
  )?.[1];
  const cookie = page.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  return ask(
    path,
    {
      method: "POST",
      body: new URLSearchParams({ token: token ?? "", name: NAME, opened: "", ...fields }),
      headers: { cookie, ...headers },
    },
    of,
  );
}
const attempt = async (text: string, fields: Record<string, string> = {}) =>
  (await post("/templates/try", { text, ...fields }, { "hx-request": "true" })).text();
const save = (text: string, fields: Record<string, string> = {}) =>
  post("/templates/save", { text, ...fields });
const fileOf = (name = NAME) => readFile(join(folder, `${name}.hbs`), "utf8");
const CHANGED = "Please look at this: {{query}}\n";

test("the list has every template, and says which are those of this installation", async () => {
  await save(CHANGED);
  const text = await (await ask("/templates")).text();
  for (const file of await readdir("templates", { recursive: true }))
    if (file.endsWith(".hbs"))
      expect(text).toContain(`/templates/edit?${new URLSearchParams({ name: file.slice(0, -4) })}`);
  expect(text.match(/your own/g)).toHaveLength(1);
  expect(await (await ask("/templates.json")).json()).toContainEqual({ name: NAME, isOwn: true });
});

test("the editor shows the file, and the whole message of a sample with it, as a mail too", async () => {
  const page = await (await edit()).text();
  expect(page).toContain("The shipped one.");
  expect(page).toContain("The whole message of the sample, with this text.");
  const address = /src="(\/templates\/html\?id=[^"]+)"/.exec(page)?.[1] ?? "";
  const mail = await ask(address);
  expect(mail.headers.get("content-security-policy")).toContain("sandbox");
  expect(await mail.text()).toContain("<!doctype html>");
  expect((await ask("/templates/html?id=1")).status).toBe(404);
  expect((await edit("slack/nothing")).status).toBe(404);
});

test("what is typed is tried with a sample, and nothing is written", async () => {
  const usual = await attempt(CHANGED);
  expect(usual).toContain("Please look at this:");
  const subject = await attempt("Look: {{query}}", { name: SUBJECT });
  expect(subject).toMatch(/<h2 id="h-subject">.*Look: /s);
  expect(await attempt(CHANGED, { sample: "resolved" })).not.toBe(usual);
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["an unknown name", "{{nobody}}", /slack\/alert-about\.mrkdwn\.hbs.*nobody/],
  ["a block that does not end", "{{#if query}}", /slack\/alert-about\.mrkdwn\.hbs.*Parse error/],
  ["a partial that there is not", "{{> slack/none.mrkdwn}}", /slack\/none\.mrkdwn/],
  ["a text that is too long", "x".repeat(60_000), /50 kB at most/],
  ["a partial that includes itself", `{{> ${NAME}}}`, /./],
])("%s is a fault, is not saved, and the page stays", async (_, text, fault) => {
  const tried = await attempt(text);
  expect(tried).toContain("the folder of templates has faults");
  expect(tried.split('<ul class="faults">')[1]?.replaceAll("&#39;", "'")).toMatch(fault);
  const refused = await save(text);
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("Not saved:");
  expect(await readdir(folder)).toEqual([]);
});

test("a save writes the file, keeps the old one, and is used by all processes", async () => {
  const saved = await save(CHANGED.replace("\n", "\r\n"));
  expect(saved.status).toBe(200);
  expect(await saved.text()).toContain("All processes use it.");
  expect(await fileOf()).toBe(CHANGED);
  const again = "Now look: {{query}}\n";
  expect((await save(again, { opened: ruleVersion(CHANGED) })).status).toBe(200);
  expect(await fileOf()).toBe(again);
  expect(await readdir(join(folder, ".history"))).toEqual([
    "slack-alert-about.mrkdwn-20260303T140500Z.hbs.old",
  ]);
  // What is kept is no template.
  expect((await openTemplates(folder)).check()).toEqual([]);
  const page = await (await edit()).text();
  expect(page).toContain("A file of this installation");
  expect(page).toContain(`<code>${ruleVersion(CHANGED)}</code> to <code>${ruleVersion(again)}</code>`);
  const everything = { who: null, action: null, from: null, to: null };
  expect(await web.stores.audit.list(everything, null, 1)).toMatchObject([
    { action: "template.save", target: NAME, outcome: "Done" },
  ]);
});

test("the shipped one is used again, and the own one is kept", async () => {
  await save(CHANGED);
  const answer = await post("/templates/shipped", { opened: ruleVersion(CHANGED) });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("The shipped template stands for");
  expect(await readdir(join(folder, "slack"))).toEqual([]);
  expect(await readdir(join(folder, ".history"))).toHaveLength(1);
  expect(await (await edit()).text()).toContain("The shipped one.");
});

test("of two who opened the same version, the second one is told and loses nothing", async () => {
  const both = await Promise.all([save("First {{query}}"), save("Second {{query}}")]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const [refused] = both.filter(({ status }) => status === 409);
  const page = (await refused?.text()) ?? "";
  expect(page).toContain("somebody has saved this template meanwhile");
  expect(page).toMatch(/>\n(First|Second) \{\{query\}\}<\/textarea>/);
  expect((await save("Third {{query}}", { opened: ruleVersion("other") })).status).toBe(409);
});

test("no name leads out of the folder, and no link of the file system", async () => {
  for (const name of ["../evil", "slack/../../evil", "/etc/evil", "slack/new.mrkdwn", ""])
    expect((await save(CHANGED, { name })).status).toBe(404);
  const aside = join(folder, "aside.txt");
  await save(CHANGED);
  await writeFile(aside, CHANGED);
  await rm(join(folder, `${NAME}.hbs`));
  await symlink(aside, join(folder, `${NAME}.hbs`));
  const linked = await save("Through {{query}}", { opened: ruleVersion(CHANGED) });
  expect(await linked.text()).toContain("no plain file");
  expect(await readFile(aside, "utf8")).toBe(CHANGED);
});

test.each([
  [
    "editTemplates is off",
    { login: LOGIN, admins: ["ann"] },
    "web.editTemplates in earshot.yaml does not allow it",
  ],
  [
    "the login is no admin",
    { ...EDITOR, admins: ["bob"] },
    "ann has the role responder, and this needs editor",
  ],
  ["there is no folder of their own", EDITOR, "the shipped templates are in use"],
])("nobody saves where %s, and the page says why", async (what, settings, because) => {
  const other = await start(settings, what.startsWith("there is") ? "templates" : folder);
  try {
    const page = await (await edit(NAME, other)).text();
    expect(page).toContain(because);
    expect(page).not.toContain("/templates/save");
    const answer = await post("/templates/save", { text: CHANGED }, {}, other);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining(because)]);
    expect(await readFile(`templates/${NAME}.hbs`, "utf8")).toBe(shipped);
  } finally {
    await other.close();
  }
});
