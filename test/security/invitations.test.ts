import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { invite } from "../../src/console/auth/invitations.ts";
import { addUser, changeUser } from "../../src/console/auth/manage-users.ts";
import { createManualClock, systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY } from "../../src/lib/instant.ts";
import { runCommand } from "../cli/run-command.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { startFakeSmtp } from "../fakes/smtp.ts";
import { aVisitor, tokenIn } from "./console-visitor.ts";

const PASSWORD = "four words in a row";
const closing = createClosing();
const wall = createManualClock(systemClock.now());
const smtp = await startFakeSmtp();
closing.add(smtp.close);
let web: TestConsole;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  web = await startTestConsole(wall.now(), { deps: { wall } });
  closing.add(web.close);
  const folder = await mkdtemp(join(tmpdir(), "earshot-invite-"));
  closing.add(() => rm(folder, { recursive: true }));
  const file = join(folder, "earshot.yaml");
  await writeFile(
    file,
    `listen: { queries: [{ name: Acme, text: acme }], feeds: [{ kind: hacker-news }] }
receivers:
  - name: comms
    kind: email
    to: comms@brand.example
    from: earshot@brand.example
    smtp: { host: "${smtp.host}", port: ${smtp.port} }
routes: [{ receivers: [comms] }]
web: { publicUrl: "${web.url}" }
`,
  );
  env = { DATABASE_URL: web.databaseUrl, EARSHOT_HOME: folder, EARSHOT_CONFIG: file };
});
afterAll(() => closing.close());

const parts = () => ({ stores: web.stores, namesOfFile: [], now: wall.now() });
const users = (...args: string[]) => runCommand(["users", ...args], env);
async function accept(path: string, password = PASSWORD): Promise<number> {
  const visitor = aVisitor(web.url);
  // A link that works no more has no form: the token of another form of this browser.
  const token = tokenIn(await (await visitor.ask("/login")).text());
  return (await visitor.post(path, { token, password })).status;
}

test("an invitation comes by mail, and whoever opens its link sets a password and is inside", async () => {
  const invited = await users("invite", "Ann", "--role", "editor", "--email", "ann@brand.example");
  expect(invited).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("invited by mail") });
  expect(invited.stdout).not.toContain("/invitations/");
  const mail = smtp.mails.at(-1)?.parsed;
  expect(mail).toMatchObject({ subject: "Your invitation to Earshot", from: { text: expect.anything() } });
  const link = /http\S+\/invitations\/[\w-]{43}/.exec(mail?.text ?? "")?.[0] ?? "";
  const path = new URL(link).pathname;
  const ann = aVisitor(web.url);
  // Scanners of mails fetch links: a GET uses nothing up.
  for (let n = 0; n < 3; n++) expect((await ann.ask(path)).status).toBe(200);
  const page = await (await ann.ask(path)).text();
  expect(page).toContain("<strong>Ann</strong>");
  const short = await ann.post(path, { token: tokenIn(page), password: "short" });
  expect([short.status, await short.text()]).toEqual([400, expect.stringContaining("12 characters or more")]);
  const set = await ann.post(path, { token: tokenIn(page), password: PASSWORD });
  expect([set.status, set.headers.get("location")]).toEqual([303, "/"]);
  expect((await ann.ask("/account")).status).toBe(200);
  expect((await aVisitor(web.url).logIn("ann", PASSWORD)).status).toBe(303);
});

test("a link works once, also for two at the same moment, and not after its end or the user's", async () => {
  await addUser(parts(), { name: "bob", role: "viewer", email: null, password: null, by: "test" });
  const link = async () => {
    const invited = await invite(parts(), "bob", DAY);
    return invited.outcome === "Done" ? invited.path : "";
  };
  const path = await link();
  expect((await Promise.all([accept(path), accept(path)])).sort()).toEqual([303, 404]);
  expect(await accept(path)).toBe(404);
  const [before, newest] = [await link(), await link()];
  expect(await accept(before)).toBe(404);
  await changeUser(parts(), "bob", { do: "end" });
  expect(await accept(newest)).toBe(404);
  await changeUser(parts(), "bob", { do: "restore" });
  const late = await link();
  wall.advance(DAY);
  expect(await accept(late)).toBe(404);
  expect((await aVisitor(web.url).ask("/invitations/x")).status).toBe(404);
});

test("a form of another site cannot use a link, and no table and no page has one", async () => {
  const invited = await invite(parts(), "bob", DAY);
  const path = invited.outcome === "Done" ? invited.path : "";
  const foreign = await aVisitor(web.url).post(
    path,
    { password: PASSWORD },
    { origin: "https://bad.example" },
  );
  expect(foreign.status).toBe(403);
  const { rows } = await sql<{ all: string }>`
    select (select json_agg(c)::text from earshot.one_time_codes c) || (select json_agg(a)::text from earshot.audit a) as all
  `.execute(web.database.db);
  expect(rows[0]?.all).toContain("bob");
  expect(rows[0]?.all).not.toContain(path.slice("/invitations/".length));
  expect(await accept(path)).toBe(303);
});

test("what is missing or wrong is said: a role, a mail server that refuses", async () => {
  expect(await users("invite", "cleo")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("say which --role"),
  });
  const printed = await users("invite", "cleo", "--role", "viewer");
  expect(printed.stdout).toMatch(/^http\S+\/invitations\/[\w-]{43}\n/);
  const other = await users("invite", "cleo", "--role", "admin");
  expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("users role cleo admin") });
  await smtp.close();
  const refused = await users("invite", "cleo", "--email", "cleo@brand.example");
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("was not sent") });
});
