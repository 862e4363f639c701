import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProgram } from "../../../src/cli/create-program.ts";
import type { Bundle } from "../../bundle.ts";
import { type Fixture, SEED, startFixture } from "../../listening-api/fixture.ts";
import { bundleEarshot, runEarshot } from "../run-earshot.ts";

let bundle: Bundle;
let fixture: Fixture;
let folder: string;
let account: readonly string[];

beforeAll(async () => {
  bundle = await bundleEarshot();
  fixture = await startFixture({
    ...SEED,
    client: { name: "Acme", tags: { "ratelimit.limit": "9", "ratelimit.period": "10" } },
  });
  const baseUrl = await fixture.api.listen({ host: "127.0.0.1", port: 0 });
  folder = await mkdtemp(join(tmpdir(), "earshot-api-"));
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, `${SEED.user.password}\n`);
  account = ["--base-url", baseUrl, "--username", SEED.user.username, "--password-file", passwordFile];
});

afterAll(async () => {
  await Promise.all([fixture.stop(), bundle.remove()]);
  await rm(folder, { recursive: true });
});

const earshot = (...words: readonly string[]) => runEarshot(bundle, words, { cwd: folder });

test("the command teaches itself: alone, with --help, and for each call", async () => {
  const [alone, call] = await Promise.all([earshot("api"), earshot("api", "mentions", "--help")]);
  expect(alone, alone.err).toMatchObject({ code: 0, err: "" });
  expect(alone.out).toMatch(/Projects\n {2}projects .*the projects that this user may see/);
  expect(call.code).toBe(0);
  expect(call.out).toContain("earshot api mentions --query Acme --last 24h");
  const program = await createProgram({ EARSHOT_CONFIG: join(folder, "none.yaml"), EARSHOT_HOME: folder }, [
    "api",
  ]);
  const help: string[] = [];
  const api = program.commands.find((command) => command.name() === "api");
  api?.configureOutput({ writeOut: (text) => help.push(text) }).outputHelp();
  for (const word of ["--base-url", "EARSHOT_API_URL", "Exit codes"]) expect(help.join("")).toContain(word);
  const asked = (...words: string[]) => program.parseAsync(["node", "earshot", "api", ...words]);
  await expect(asked("mentoins")).rejects.toThrow('there is no call "mentoins" — did you mean "mentions"?');
  await expect(asked("me")).rejects.toThrow("there is no account to ask with");
}, 120_000);

test("a call prints its answer on standard output and the rest on standard error, until the budget is spent", async () => {
  const table = await earshot("api", "projects", ...account);
  expect(table.code, table.err).toBe(0);
  expect(table.out).toMatch(/Brands +Europe\/Berlin/);
  expect(table.err).toMatch(/Rate budget: \d of 9 calls|Rate budget: \d used of 9 calls in any 10m/);
  const path = `/projects/${fixture.account.projectId}`;
  for (let call = 0; call < 9; call++) await fixture.get(path);
  const spent = await earshot("api", "me", ...account);
  expect(spent).toMatchObject({ code: 4, out: "" });
  expect(spent.err).toMatch(/me: 429 rate limit exceeded.*; try again in \d+m/);
  expect(spent.err).not.toContain(SEED.user.password);
}, 120_000);
