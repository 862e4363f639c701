import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUsers } from "../../src/console/auth/users.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { isPassword } from "../../src/lib/password-hash.ts";
import { useStores } from "../use-stores.ts";
import { runCommand } from "./run-command.ts";

const { url, stores } = await useStores();
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-users-"));
  const file = join(folder, "earshot.yaml");
  await writeFile(file, "web:\n  login: { username: comms, password: '${NOT_SET}' }\n  admins: [comms]\n");
  env = { DATABASE_URL: url, EARSHOT_HOME: folder, EARSHOT_CONFIG: file };
});
afterAll(() => rm(folder, { recursive: true }));

const users = (...args: string[]) => runCommand(["users", ...args], env);
const json = async (...args: string[]) => JSON.parse((await users(...args, "--json")).stdout);

test("a user is added with a password that is shown once, and may log in", async () => {
  const { exitCode, stdout } = await users("add", "Ann", "--role", "admin", "--email", "ann@brand.example");
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("added Ann as admin")]);
  const password = /password: (\S+)/.exec(stdout)?.[1] ?? "";
  const settings = { host: "127.0.0.1", port: 0, timezone: "UTC" };
  const parts = { stored: stores.users, secret: "for tests", wall: createManualClock(0) };
  const known = await createUsers(settings, parts);
  expect(await known.withPassword("ann", password)).toMatchObject({ name: "Ann", role: "admin" });
  expect(await known.withPassword("ann", `${password}x`)).toBeNull();
  expect(await known.isLoginDemanded()).toBe(true);
  expect(JSON.stringify(await json("list"))).not.toContain(password);
});

test("roles change, users end and come back, and their sessions end", async () => {
  expect((await users("role", "ann", "editor")).stdout).toContain("Ann is editor now");
  const found = await stores.users.find("ann");
  const at = Date.now();
  await stores.sessions.open({
    ...{ id: "0199b2c4-7d1a-7000-8000-000000000001", secretHash: Buffer.alloc(32), nameKey: "ann" },
    ...{ credential: "x", openedAt: at, seenAt: at, until: at + 3_600_000, address: "::1", agent: "" },
  });
  expect(await json("list")).toMatchObject([
    { name: "comms", role: "admin", kept: "earshot.yaml" },
    { name: "Ann", role: "editor", email: "ann@brand.example", sessions: 1 },
  ]);
  expect(await json("end", "ann")).toMatchObject({ endedSessions: 1 });
  expect((await stores.users.find("ann"))?.endedAt).not.toBeNull();
  const again = await users("add", "ANN", "--role", "viewer");
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining("earshot users restore ANN")]);
  expect((await users("restore", "ann")).stdout).toContain("may log in again");
  expect(await stores.users.find("ann")).toEqual(found);
});

test("what is wrong is said, with what to do", async () => {
  for (const [args, said] of [
    [["add", "bob", "--role", "boss"], "responder: acts on alerts"],
    [["add", "<b>", "--role", "viewer"], "begins with a letter"],
    [["add", "COMMS", "--role", "viewer"], "earshot.yaml names COMMS already"],
    [["role", "comms", "viewer"], "change it there, and reload"],
    [["end", "nobody"], "there is no user nobody"],
  ] as const) {
    const { exitCode, stderr } = await users(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  }
  for (const args of [["add", "bob", "--role", "viewer"], ["password", "ann"], ["hash"]]) {
    const { exitCode, stderr } = await users(...args, "--password-file", join(folder, "none"));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("there is no such file")]);
  }
  const short = join(folder, "short");
  await writeFile(short, "earshot\n");
  expect((await users("password", "ann", "--password-file", short)).stderr).toContain("12 characters");
});

test("a hash for earshot.yaml is that of the password, without the end of its line", async () => {
  const file = join(folder, "password");
  await writeFile(file, "correct horse battery\n");
  const { stdout } = await users("hash", "--password-file", file);
  expect(await isPassword("correct horse battery", stdout.trim())).toBe(true);
  expect(await isPassword("correct horse battery\n", stdout.trim())).toBe(false);
});
