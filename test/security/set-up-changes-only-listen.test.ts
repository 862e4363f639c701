import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../src/admin/config/config.ts";
import { openSetupView } from "../../src/admin/setup/open-setup-view.ts";
import { draftChecked, schemaLinesFor } from "../../src/admin/setup/write-setup.ts";
import { SETUP_SCHEMAS } from "../../src/cli/schemas.ts";
import type { ConsoleSettings } from "../../src/console/common/settings.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { createStores, type Stores } from "../../src/monitor/store/stores.ts";
import { runCommand } from "../cli/run-command.ts";
import { startTestConsole } from "../console/start-test-console.ts";
import { createTestDatabase } from "../postgres.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";

const LOGIN = { username: "ann", password: "correct horse" };
const ADMIN = { login: LOGIN, editRules: true, editSetup: true, admins: ["ann"] };
const FORM = { brand: "Zeta", spellings: "zeta corp", addresses: "https://zeta.example/feed" };
/** As earshot.yaml fills it in. */
const VARIABLE = "$".concat("{HOME}");
/** Comments and an odd layout, which stay. */
const CONFIGURED = `# Our monitor.
web:
  host: 127.0.0.1   # only here
  login: { username: ann, password: "\${PAGE_PASSWORD}" }
  editSetup: true
  admins: [ann]

listen:
  # Ours.
  queries:
    - { name: Acme, text: acme }
  feeds:
    - { kind: push, token: token-of-a-script-1 }

# Who is notified.
receivers:
  - { name: ops, kind: webhook, url: https://hooks.example/x, secret: shared-secret-of-ours }
routes: [{ name: all, receivers: [ops] }]
rules: rules
`;
const ENV = { PAGE_PASSWORD: LOGIN.password };

let closing = createClosing();
let folder: string;
let file: string;
let stores: Stores;
beforeEach(async () => {
  closing = createClosing();
  folder = await mkdtemp(join(tmpdir(), "earshot-set-up-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  file = join(folder, "earshot.yaml");
  const database = await createTestDatabase();
  closing.add(database.drop);
  const { db, close } = openDatabase({ url: database.url, onError: () => {} });
  closing.add(close);
  stores = createStores(db);
});
afterEach(() => closing.close());

/** `isOpen`: a demo, which has no earshot.yaml. */
async function visit(settings: Partial<ConsoleSettings>, isOpen: boolean): Promise<ConsoleVisitor> {
  const setup = openSetupView({
    ...{ file, isOpen, configured: isOpen ? null : { env: ENV, stores }, timezone: "UTC" },
    ...{ schemas: SETUP_SCHEMAS, clock: systemClock, log: pino({ level: "silent" }), next: "Restart it." },
  });
  const web = await startTestConsole(systemClock.now(), { settings, deps: { setup } });
  closing.add(web.close);
  const visitor = aVisitor(web.url);
  if (settings.login !== undefined) await visitor.logIn(LOGIN.username, LOGIN.password);
  return visitor;
}

async function configure(): Promise<void> {
  await writeFile(file, CONFIGURED);
  await mkdir(join(folder, "rules"));
  await writeFile(
    join(folder, "rules", "new-story.yaml"),
    "title: Ours\ndescription: Ours.\nseverity: info\nqueries: [Acme]\nwhen: { sentiment: negative }\n",
  );
}

async function post(visitor: ConsoleVisitor, path: string, fields: Record<string, string>) {
  const page = (await (await visitor.ask("/setup")).text()).split('<main id="main"')[1] ?? "";
  const answer = await visitor.post(path, { token: tokenIn(page), ...fields });
  return { status: answer.status, text: await answer.text() };
}
const openedIn = (page: string) => /name="opened" value="([^"]+)"/.exec(page)?.[1] ?? "";

test("a variable of the environment is refused in every field of the page", async () => {
  const visitor = await visit({}, true);
  for (const fields of [
    { brand: VARIABLE },
    { spellings: VARIABLE },
    { not: VARIABLE },
    { rivals: VARIABLE },
    { languages: VARIABLE },
    { addresses: `https://evil.example/f?k=${VARIABLE}` },
    { addresses: `https://evil.example/${VARIABLE}/f` },
    { contact: VARIABLE },
    { about: VARIABLE },
    { contact: `${VARIABLE.slice(0, 2)}not-a-name` },
  ]) {
    const { status, text } = await post(visitor, "/setup/write", { ...FORM, ...fields });
    expect([status, text], JSON.stringify(fields)).toEqual([
      409,
      expect.stringContaining("${ cannot be used here"),
    ]);
    expect(existsSync(file)).toBe(false);
  }
});

test.each([
  [[VARIABLE]],
  [["Zeta", VARIABLE]],
  [["Zeta", "--not", VARIABLE]],
  [["Zeta", "--rival", VARIABLE]],
  [["Zeta", "--feed", `https://x.example/${VARIABLE}`]],
  [["Zeta", "--contact", VARIABLE]],
  [["Zeta", "--about", VARIABLE]],
  [["Zeta", "--webhook", `https://x.example/${VARIABLE}`]],
])("and in every flag of the command: %j", async (words) => {
  const ran = await runCommand(["listen", ...words, "--config", file, "--yes", "--no-start", "--no-try"], {});
  expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining("${ cannot be used here")]);
  expect(existsSync(file)).toBe(false);
});

test("what is drafted is read back with an empty environment, and fails if it has faults", async () => {
  const answers = {
    ...{ brand: "Zeta", spellings: ["zeta"], not: [], rivals: [], languages: [], about: null, contact: null },
    ...{ timezone: "UTC", receiver: null },
  };
  const lines = schemaLinesFor(file, "rules-zeta");
  const feeds = (url: string) => [{ kind: "rss", keys: { kind: "rss", urls: [url] }, about: "a feed" }];
  await expect(
    draftChecked({ ...answers, feeds: feeds("https://x.example/f") }, lines),
  ).resolves.toMatchObject({ queries: [{ name: "Zeta" }] });
  await expect(draftChecked({ ...answers, feeds: feeds("no address") }, lines)).rejects.toMatchObject({
    message: "this set-up would not be valid",
    details: [expect.stringMatching(/^earshot\.yaml:\d+/)],
  });
});

test("on a configured monitor `listen` alone is changed, and every other byte stays", async () => {
  await configure();
  const visitor = await visit(ADMIN, false);
  const shown = await post(visitor, "/setup", { ...FORM, do: "show" });
  const { status, text } = await post(visitor, "/setup/write", {
    ...{ ...FORM, opened: openedIn(shown.text) },
    replace: "yes",
  });
  expect([status, text]).toEqual([200, expect.stringContaining("Restart it.")]);
  const after = await readFile(file, "utf8");
  const [head = "", tail = ""] = CONFIGURED.split(/listen:\n(?: .*\n)+/);
  expect(after.startsWith(head)).toBe(true);
  expect(after.endsWith(tail)).toBe(true);
  expect(after.slice(head.length, -tail.length)).toContain("zeta.example");
  const config = await loadConfig(file, ENV);
  expect(config.web.login).toEqual(LOGIN);
  expect(config.receivers.map(({ name }) => name)).toEqual(["ops"]);
  expect(config.listen?.queries.map(({ name }) => name)).toEqual(["Zeta"]);
  expect(await readFile(`${file}.old`, "utf8")).toBe(CONFIGURED);
  // Rules are added to those that are there.
  expect(await readFile(join(folder, "rules", "new-story.yaml"), "utf8")).toContain("title: Ours");
  expect(await readdir(join(folder, "rules"))).toContain("press-story.yaml");
  expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
  expect(await stores.rulePages.edits("earshot.yaml", 5)).toMatchObject([
    { actor: { via: "page", login: "ann" }, before: openedIn(shown.text) },
  ]);
});

test("the difference is on the page before the press, without secrets, for those who may press", async () => {
  await configure();
  const page = (await post(await visit(ADMIN, false), "/setup", { ...FORM, do: "show" })).text;
  expect(page).toMatch(/@@ -\d+,\d+ \+\d+,\d+ @@/);
  expect(page).toContain("-    - { name: Acme, text: acme }");
  expect(page).toContain("+    - { name: Zeta,");
  for (const secret of ["token-of-a-script", "shared-secret", "hooks.example", "password"])
    expect(page, secret).not.toContain(secret);
  const reader = await visit({ ...ADMIN, admins: [] }, false);
  expect((await post(reader, "/setup", { ...FORM, do: "show" })).text).not.toContain("Acme");
});

test("the permission to write rules is none for set-up, and what is not shown or not valid is not written", async () => {
  await configure();
  const ruler = await visit({ ...ADMIN, editSetup: false }, false);
  expect(await post(ruler, "/setup/write", FORM)).toMatchObject({
    status: 403,
    text: expect.stringContaining("web.editSetup in earshot.yaml does not allow it"),
  });
  const admin = await visit(ADMIN, false);
  expect((await post(admin, "/setup/write", FORM)).text).toContain("changed since the difference was shown");
  const opened = openedIn((await post(admin, "/setup", { ...FORM, do: "show" })).text);
  await writeFile(file, `${CONFIGURED}# Changed meanwhile.\n`);
  expect(await post(admin, "/setup/write", { ...FORM, opened })).toMatchObject({ status: 409 });
  await writeFile(file, CONFIGURED.replace("routes:", "routess:"));
  expect((await post(admin, "/setup", FORM)).text).toContain("unknown key &quot;routess&quot;");
  expect(await readFile(file, "utf8")).not.toContain("Zeta");
  expect(await stores.rulePages.edits("earshot.yaml", 5)).toEqual([]);
});
