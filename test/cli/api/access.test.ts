import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { leaveLocalAddress } from "../../../src/admin/local-address.ts";
import { findAccess, findAccesses } from "../../../src/cli/api/access.ts";
import { createManualClock, createScaledClock } from "../../../src/lib/clock.ts";

const clock = createManualClock(1_000_000);
let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-access-"));
  env = { EARSHOT_CONFIG: join(folder, "earshot.yaml"), EARSHOT_HOME: join(folder, "home") };
});

afterEach(() => rm(folder, { recursive: true }));

const YAML = `
source:
  baseUrl: https://listening.example
  username: ada
  password: \${LISTENING_PASSWORD}
  clientId: x-api-client
receivers: not looked at
other: \${NEVER_SET}
`;

test("a configuration needs no more than its source, and secrets of other parts are not asked for", async () => {
  await writeFile(join(folder, "earshot.yaml"), YAML);
  const access = await findAccess({}, { ...env, LISTENING_PASSWORD: "pw" }, clock);
  expect(access).toMatchObject({
    baseUrl: "https://listening.example",
    credentials: { username: "ada", password: "pw", clientId: "x-api-client" },
    timeoutMs: 60_000,
    clock,
  });
  const chosen = await findAccess({ platformClientId: "9" }, { ...env, LISTENING_PASSWORD: "pw" }, clock);
  expect(chosen.credentials.platformClientId).toBe("9");
});

test("faults of the source are reported with their line", async () => {
  await writeFile(join(folder, "earshot.yaml"), "source:\n  baseUrl: ftp://x\n  usrname: ada\n");
  await expect(findAccess({}, env, clock)).rejects.toMatchObject({
    message: expect.stringContaining("faults"),
    details: expect.arrayContaining([
      expect.stringMatching(/:3:3 unknown key "usrname".*did you mean "username"/),
    ]),
  });
  await writeFile(join(folder, "earshot.yaml"), "receivers: []\n");
  await expect(findAccess({}, env, clock)).rejects.toThrow("earshot.yaml has 4 faults");
});

test("with public feeds, the API is our own, which must run", async () => {
  await writeFile(join(folder, "earshot.yaml"), "listen: { queries: [] }\n");
  await expect(findAccess({}, env, clock)).rejects.toThrow("the Listening API of its feeds is not running");
});

test("with an account and public feeds, the account is asked, and the feeds where they are named", async () => {
  await writeFile(join(folder, "earshot.yaml"), `${YAML}listen: { queries: [] }\n`);
  const both = { ...env, LISTENING_PASSWORD: "pw" };
  expect(await findAccess({}, both, clock)).toMatchObject({ baseUrl: "https://listening.example" });
  await expect(findAccess({ feeds: true }, both, clock)).rejects.toThrow("is not running");
  expect(await findAccesses(both, clock)).toHaveLength(1);
  const login = { username: "monitor", password: "made" };
  const running = createScaledClock({ startAt: clock.now(), speed: 1, base: clock });
  await leaveLocalAddress(
    join(folder, "home"),
    { url: "http://127.0.0.1:8087", login, clock: running },
    clock,
  );
  const [account, feeds] = await findAccesses(both, clock);
  expect([account?.baseUrl, account?.prefix]).toEqual(["https://listening.example", undefined]);
  expect(feeds).toMatchObject({ baseUrl: "http://127.0.0.1:8087", prefix: "feeds-" });
  await writeFile(join(folder, "earshot.yaml"), YAML);
  await expect(findAccess({ feeds: true }, both, clock)).rejects.toThrow('no part "listen"');
});

test("flags come before the environment, and the two before the file, whose password they never take", async () => {
  await writeFile(join(folder, "earshot.yaml"), YAML);
  await writeFile(join(folder, "pw"), "from file\r\n");
  const more = {
    ...env,
    EARSHOT_API_USERNAME: "env-user",
    EARSHOT_API_PASSWORD: "env-pw",
    LISTENING_PASSWORD: "pw",
  };
  const flags = { baseUrl: "http://127.0.0.1:9", username: "flag-user", passwordFile: join(folder, "pw") };
  expect((await findAccess(flags, more, clock)).credentials).toMatchObject({
    username: "flag-user",
    password: "from file",
    clientId: "earshot-api-client",
  });
  expect((await findAccess({ baseUrl: "http://localhost" }, more, clock)).credentials).toMatchObject({
    username: "env-user",
    password: "env-pw",
  });
  const byEnv = await findAccess({}, { ...more, EARSHOT_API_URL: "http://[::1]:9/base" }, clock);
  expect(byEnv).toMatchObject({ baseUrl: "http://[::1]:9/base", credentials: { username: "env-user" } });
  await expect(findAccess({ baseUrl: "https://elsewhere.example" }, env, clock)).rejects.toMatchObject({
    message: "the account is not complete",
    details: [
      expect.stringContaining("--username"),
      expect.stringContaining("--password-file"),
      expect.stringContaining("--client-id"),
    ],
  });
});

test.each([
  ["ftp://x", "expected an http or https address"],
  ["nowhere", "expected an http or https address"],
  ["http://ada:secret@x", "expected an address without a login in it"],
  ["http://x/?access_token=secret", "expected an address without parameters"],
])("the address %s is refused without repeating it", async (baseUrl, says) => {
  const more = { ...env, EARSHOT_API_USERNAME: "a", EARSHOT_API_PASSWORD: "b", EARSHOT_API_CLIENT_ID: "c" };
  const refused = findAccess({ baseUrl }, more, clock);
  await expect(refused).rejects.toThrow(says);
  await expect(refused).rejects.not.toThrow("secret");
});

test("an unreadable password file, and two passwords at once, are reported", async () => {
  await expect(findAccess({ passwordFile: join(folder, "none") }, env, clock)).rejects.toThrow(
    "--password-file",
  );
  await expect(findAccess({ config: "x", baseUrl: "http://x" }, env, clock)).rejects.toThrow(
    "--config names",
  );
});

test("a demo that runs is found with its own time, and forgotten when it stops", async () => {
  const home = join(folder, "home");
  const demo = createScaledClock({ startAt: 50_000, speed: 60, base: clock });
  const login = { username: "sam", password: "generated" };
  const forget = await leaveLocalAddress(home, { url: "http://127.0.0.1:4711", login, clock: demo }, clock);
  const later = createManualClock(clock.now() + 1_000);
  const access = await findAccess({}, env, later);
  expect(access).toMatchObject({ baseUrl: "http://127.0.0.1:4711", from: "the local API on this machine" });
  expect(access.clock.now()).toBe(50_000 + 60_000);
  const forgetOther = await leaveLocalAddress(
    home,
    { url: "http://127.0.0.1:4712", login, clock: demo },
    clock,
  );
  expect((await findAccess({}, env, later)).credentials).toMatchObject(login);
  // The first one stops; the note of the second stays.
  await forget();
  expect((await findAccess({}, env, later)).baseUrl).toBe("http://127.0.0.1:4712");
  await forgetOther();
  await expect(findAccess({}, env, later)).rejects.toMatchObject({
    message: "there is no account to ask with",
    details: [expect.stringContaining("earshot start"), expect.any(String), expect.any(String)],
  });
});

test("a note that somebody else wrote sends the demo's login nowhere", async () => {
  const home = join(folder, "home");
  const elsewhere = createScaledClock({ startAt: 0, speed: 1, base: clock });
  await leaveLocalAddress(
    home,
    { url: "http://elsewhere.example", login: { username: "sam", password: "generated" }, clock: elsewhere },
    clock,
  );
  await expect(findAccess({}, env, clock)).rejects.toThrow("there is no account");
});
