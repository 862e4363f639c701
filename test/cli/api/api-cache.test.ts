import { spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openApiCache } from "../../../src/cli/api/api-cache.ts";
import { createManualClock } from "../../../src/lib/clock.ts";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { deleteQueries } from "../../../src/listening-api/store/delete-things.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { revokeTokens } from "../../../src/listening-api/store/logins.ts";
import { putQueries } from "../../../src/listening-api/store/queries.ts";
import type { Bundle } from "../../bundle.ts";
import {
  type Fixture,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "../../listening-api/fixture.ts";
import { bundleEarshot, runEarshot } from "../run-earshot.ts";
import { createShell } from "./shell.ts";

let bundle: Bundle;
let fixture: Fixture;
let db: Database;
let baseUrl: string;
let folder: string;
let home: string;
/** Paths that the server was asked for. */
let calls: string[];
const wall = createManualClock(Date.now());
const credentials = {
  username: SEED.user.username,
  password: SEED.user.password,
  clientId: "earshot-api-client",
};
const MENTIONS = { project: "Brands", query: ["Alpha"], json: true } as const;

beforeAll(async () => {
  [bundle, fixture] = await Promise.all([
    bundleEarshot(),
    startFixture({
      ...SEED,
      client: { name: "Acme", tags: { "ratelimit.limit": "100000", "ratelimit.period": "10" } },
    }),
  ]);
  baseUrl = await fixture.api.listen({ host: "127.0.0.1", port: 0 });
  fixture.api.app.server.on("request", ({ url }) => calls.push(url?.split("?")[0] ?? ""));
  db = createDatabase(fixture.database.pool);
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  await insertMentions(db, [
    mentionVersion({ queryId, resourceId: resourceId(1), title: "One" }, { added: T0 - MINUTE }),
  ]);
  folder = await mkdtemp(join(tmpdir(), "earshot-cache-"));
}, 120_000);
afterAll(async () => {
  await Promise.all([fixture.stop(), bundle.remove()]);
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  calls = [];
  home = await mkdtemp(join(folder, "home-"));
});

const shell = (more: object = {}) =>
  createShell({ baseUrl, credentials, clock: fixture.clock, home, wall, ...more });
const file = () => join(home, "api-cache.json");
const tokensInUse = async (): Promise<number> =>
  (await fixture.database.pool.query("select count(*)::int as n from local_api.token")).rows[0].n;

test("from the second command on, names and the login cost no call; the answer and its budget line stay", async () => {
  const first = await shell()("mentions", MENTIONS);
  expect(first.failure).toBeNull();
  expect(calls).toHaveLength(4);
  const tokens = await tokensInUse();
  for (let command = 0; command < 10; command++) {
    calls = [];
    const again = await shell()("mentions", MENTIONS);
    expect(calls).toEqual([`/projects/${fixture.account.projectId}/data/mentions`]);
    expect(again.out).toBe(first.out);
    expect(again.err).toMatch(/Rate budget: \d+ used of 100000 calls in any 10m/);
  }
  expect(await tokensInUse()).toBe(tokens);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(await readFile(file(), "utf8")).not.toContain(SEED.user.password);
  expect(await readdir(home)).toEqual(["api-cache.json"]);
});

test("names last an hour, and those that are old say so; the token goes on", async () => {
  await shell()("mention-count");
  wall.advance(20 * MINUTE);
  calls = [];
  const { err } = await shell()("mention-count");
  expect(calls).toHaveLength(1);
  expect(err).toContain("the only one, as of 20m ago");
  expect(err).toContain("Queries: all 2 of the project, as of 20m ago");
  wall.advance(HOUR - 20 * MINUTE);
  calls = [];
  await shell()("mention-count");
  expect(calls).toHaveLength(3);
  expect(calls).not.toContain("/oauth/token");
});

test("a name that is new is looked up afresh, and a list that was shown is what the next command knows", async () => {
  await shell()("mentions", MENTIONS);
  const { projectId } = fixture.account;
  const made = { username: "ann", at: T0 };
  await putQueries(db, projectId, [{ name: "Gamma", type: "search string" }], made);
  calls = [];
  expect((await shell()("mention-count", { query: ["Gamma"] })).failure).toBeNull();
  expect(calls).toEqual([
    `/projects/${projectId}/queries/summary`,
    `/projects/${projectId}/data/mentions/count`,
  ]);
  expect((await shell()("mention-count", { query: ["Omega"] })).failure).toContain('no query "Omega"');
  const ids = await putQueries(db, projectId, [{ name: "Delta", type: "search string" }], made);
  await shell()("queries");
  calls = [];
  expect((await shell()("mention-count")).err).toContain("Queries: all 4 of the project");
  expect(calls).toHaveLength(1);
  await deleteQueries(db, [...ids.values()]);
});

test("a kept name whose query was deleted and made anew finds the new one; a mistake is told as it is", async () => {
  const { projectId } = fixture.account;
  const make = () =>
    putQueries(db, projectId, [{ name: "Moved", type: "search string" }], { username: "ann", at: T0 });
  const before = await make();
  await shell()("mention-count", { query: ["Moved"] });
  await deleteQueries(db, [...before.values()]);
  const gone = await shell()("mention-count", { query: ["Moved"] });
  expect(gone.failure).toContain('no query "Moved"');
  const [id] = (await make()).values();
  await shell()("queries");
  await deleteQueries(db, [id ?? 0]);
  const [newId] = (await make()).values();
  const found = await shell()("mentions", { query: ["Moved"], all: true });
  expect(found.failure).toBeNull();
  expect(newId).not.toBe(id);
  const wrong = await shell()("mentions", { query: ["Moved"], param: ["sentimnt=x"] });
  expect(wrong).toMatchObject({ exitCode: 2, out: "" });
  expect(wrong.failure).toMatch(/mentions: 400 .*sentimnt/);
});

test("a token that was taken back costs one login, once", async () => {
  await shell()("mentions", MENTIONS);
  await revokeTokens(db, { userId: fixture.account.userId });
  calls = [];
  expect((await shell()("mentions", MENTIONS)).failure).toBeNull();
  expect(calls.filter((path) => path === "/oauth/token")).toHaveLength(1);
  expect(calls).toHaveLength(3);
  calls = [];
  await shell()("mentions", MENTIONS);
  expect(calls).toHaveLength(1);
});

test("another password, user or address finds nothing in it", async () => {
  await shell()("mentions", MENTIONS);
  const wrong = await shell({ credentials: { ...credentials, password: "wrong" } })("mentions", MENTIONS);
  expect(wrong).toMatchObject({ exitCode: 3, out: "" });
  calls = [];
  const other = baseUrl.replace("127.0.0.1", "localhost");
  expect((await shell({ baseUrl: other })("mentions", MENTIONS)).failure).toBeNull();
  expect(calls).toHaveLength(4);
  calls = [];
  await shell()("mentions", MENTIONS);
  expect(calls).toHaveLength(1);
});

test.each<[string, () => Promise<void>]>([
  ["cut off", async () => writeFile(file(), (await readFile(file(), "utf8")).slice(0, -20))],
  ["of another shape", () => writeFile(file(), '[{"account":1}]')],
  ["readable by others", () => chmod(file(), 0o644)],
  ["empty", () => writeFile(file(), "")],
  ["gone", () => rm(file())],
])("a file that is %s is passed over and written anew", async (_, damage) => {
  await shell()("mentions", MENTIONS);
  await damage();
  calls = [];
  expect((await shell()("mentions", MENTIONS)).failure).toBeNull();
  expect(calls).toHaveLength(4);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  calls = [];
  await shell()("mentions", MENTIONS);
  expect(calls).toHaveLength(1);
});

test("where nothing can be written, the command answers as before", async () => {
  await writeFile(join(home, "file"), "");
  const { failure } = await shell({ home: join(home, "file", "home") })("mentions", MENTIONS);
  expect(failure).toBeNull();
  expect(calls).toHaveLength(4);
});

test("commands at the same time, as processes, all answer, and leave a whole file", async () => {
  const passwordFile = join(home, "pw");
  await writeFile(passwordFile, SEED.user.password);
  const words = ["api", "mention-count", "--base-url", baseUrl, "--username", SEED.user.username];
  const run = () =>
    runEarshot(bundle, [...words, "--password-file", passwordFile], {
      cwd: home,
      env: { EARSHOT_HOME: home },
    });
  const ended = await Promise.all([run(), run(), run(), run()]);
  for (const { code, err } of ended) expect(code, err).toBe(0);
  calls = [];
  expect((await run()).code).toBe(0);
  expect(calls).toHaveLength(1);
}, 120_000);

test("a writer that is killed at any moment leaves a file that can be read", async () => {
  const module = new URL("../../../src/cli/api/api-cache.ts", import.meta.url).href;
  const program = `
    const { openApiCache } = await import(${JSON.stringify(module)});
    const cache = openApiCache(${JSON.stringify(home)}, ${JSON.stringify({ baseUrl, credentials })}, { now: () => ${T0} });
    const list = Array.from({ length: 20000 }, (_, id) => ({ id: String(id), name: "name " + id }));
    for (let n = 0; ; n++) { await cache.keepNames("key", list); process.stdout.write("."); }`;
  const cache = openApiCache(home, { baseUrl, credentials }, createManualClock(T0));
  for (let round = 0; round < 6; round++) {
    const writer = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
    // After the first write, so that a later one is under way.
    for (let written = 0; written <= round; written++)
      await new Promise((resolve, reject) => {
        writer.stdout.once("data", resolve);
        writer.once("close", () => reject(new Error("the writer ended by itself")));
      });
    writer.kill("SIGKILL");
    await new Promise((resolve) => writer.once("close", resolve));
    expect((await cache.names("key"))?.list).toHaveLength(20_000);
  }
}, 120_000);
