import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bundle } from "../bundle.ts";
import { createTestDatabase, type TestDatabase } from "../postgres.ts";
import { bundleEarshot, mainOf } from "./run-earshot.ts";

let bundle: Bundle;
let database: TestDatabase;
let folder: string;
let servers: readonly Served[];

interface Served {
  readonly child: ChildProcess;
  /** The line that it printed. */
  readonly printed: {
    readonly url: string;
    readonly username: string;
    readonly password: string;
    readonly clientId: string;
    readonly projectId: number;
    readonly queries: Readonly<Record<string, number>>;
  };
}

beforeAll(async () => {
  bundle = await bundleEarshot();
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "earshot-served-"));
  servers = await Promise.all([serve(), serve()]);
}, 120_000);

afterAll(async () => {
  for (const { child } of servers ?? []) child.kill("SIGKILL");
  await Promise.all([database.drop(), bundle.remove()]);
  await rm(folder, { recursive: true });
});

/** `earshot local-api start` as its own process, on shared tables. */
async function serve(): Promise<Served> {
  const words = ["local-api", "start", "--port", "0", "--json"];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [mainOf(bundle), ...words], {
    cwd: folder,
    env: { PATH, HOME, DATABASE_URL: database.url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, printed: JSON.parse(line) };
}

function served(index: number): Served {
  const one = servers[index];
  if (one === undefined) throw new RangeError(`${index} of ${servers.length} servers`);
  return one;
}

interface Answer {
  readonly results: readonly { readonly resourceId: string }[];
  readonly nextCursor: string;
}

async function ask(url: string, token: string) {
  const answer = await fetch(url, { headers: { authorization: `bearer ${token}` } });
  return { status: answer.status, body: (await answer.json()) as Answer };
}

test("two processes on one database serve one account: a token and a cursor of one are good at the other", async () => {
  const [first, second] = [served(0).printed, served(1).printed];
  expect({ ...second, url: "" }).toMatchObject({ ...first, url: "", curl: expect.anything() });
  const parameters = new URLSearchParams({
    username: first.username,
    grant_type: "api-password",
    client_id: first.clientId,
  });
  const login = await fetch(`${first.url}/oauth/token?${parameters}`, {
    method: "POST",
    body: new URLSearchParams({ password: first.password }),
  });
  const { access_token: token } = (await login.json()) as { access_token: string };

  const range = `startDate=2020-01-01&endDate=2100-01-01&queryId=${Object.values(first.queries)[0]}`;
  const path = `/projects/${first.projectId}/data/mentions?${range}&pageSize=40&orderBy=added&orderDirection=asc`;
  const seen: string[] = [];
  let cursor = "";
  for (let page = 0; page < 6; page++) {
    const { url } = served(page % 2).printed;
    const { status, body } = await ask(`${url}${path}${cursor}`, token);
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
    seen.push(...body.results.map(({ resourceId }) => resourceId));
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
  expect(new Set(seen).size).toBe(6 * 40);
});

test("Ctrl-C ends one cleanly, and the other goes on", async () => {
  const { child } = served(0);
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect((await ask(`${served(1).printed.url}/me`, "no-token")).status).toBe(401);
});
