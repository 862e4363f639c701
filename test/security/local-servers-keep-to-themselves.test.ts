import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leaveLocalAddress } from "../../src/admin/local-address.ts";
import { createLocalInbox } from "../../src/console/inbox/create-local-inbox.ts";
import { inventLocalSecrets, LOCAL_ACCOUNT } from "../../src/console/inbox/local-account.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi, type LocalApiOptions } from "../../src/listening-api/create-local-api.ts";
import { bundleEarshot, mainOf } from "../cli/run-earshot.ts";
import { createMemoryInboxStore } from "../fakes/memory-inbox-store.ts";
import { type Fixture, get, logIn, SEED, startFixture } from "../listening-api/fixture.ts";

const log = createLog({ level: "silent" });
const clock = createManualClock(Date.UTC(2026, 1, 23));
const FOREIGN = [
  "rebind.evil.example",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "169.254.169.254",
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const optionsOf = (more: Partial<LocalApiOptions> = {}): LocalApiOptions => ({
  pool: fixture.database.pool,
  clock,
  log,
  signingSecret: "for tests",
  ...more,
});

describe("a page of another site that points its own name at this machine", () => {
  it("gets nothing from the local Listening API, with a token or before a login", async () => {
    const api = createLocalApi(optionsOf({ allowedHosts: ["api.brand.example"] }));
    const url = await api.listen({ host: "127.0.0.1", port: 0 });
    try {
      for (const host of FOREIGN) {
        expect(await statusOf(`${url}/me`, host, fixture.token), host).toBe(421);
        expect(await statusOf(`${url}/oauth/token`, `${host}:1234`), host).toBe(421);
      }
      for (const host of ["localhost", "127.0.0.1:80", "[::1]:8087", "api.brand.example"])
        expect(await statusOf(`${url}/me`, host, fixture.token), host).toBe(200);
    } finally {
      await api.close();
    }
  });

  it.each(["LOCALHOST", "127.1", "0x7f.0.0.1"])(
    "gets nothing from a local Listening API that listens on %s",
    async (host) => {
      const api = createLocalApi(optionsOf());
      const url = await api.listen({ host, port: 0 });
      try {
        const own = `http://127.0.0.1:${new URL(url).port}/me`;
        expect(await statusOf(own, "rebind.evil.example", fixture.token)).toBe(421);
        expect(await statusOf(own, "localhost", fixture.token)).toBe(200);
      } finally {
        await api.close();
      }
    },
  );

  it("gets nothing from the local Slack", async () => {
    const inbox = await createLocalInbox({ store: createMemoryInboxStore(), clock, log }, { token: "xoxb" });
    try {
      const url = `${inbox.slackApiUrl}auth.test`;
      for (const host of FOREIGN) expect(await statusOf(url, host, "xoxb"), host).toBe(421);
      expect(await statusOf(url, "localhost", "xoxb")).toBe(200);
    } finally {
      await inbox.close();
    }
  });

  it("a server for the network answers to the names that the network has for it", async () => {
    const api = createLocalApi(optionsOf());
    const url = await api.listen({ host: "0.0.0.0", port: 0 });
    try {
      const { port } = new URL(url);
      expect(await statusOf(`http://127.0.0.1:${port}/me`, "api.brand.example", fixture.token)).toBe(200);
    } finally {
      await api.close();
    }
  });
});

describe("the secrets of demo and replay", () => {
  it("are others at each start, and long enough not to be guessed", () => {
    const [first, second] = [inventLocalSecrets(), inventLocalSecrets()];
    const all = [...Object.values(first), ...Object.values(second)];
    expect(new Set(all).size).toBe(6);
    for (const secret of all) expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(LOCAL_ACCOUNT).not.toHaveProperty("password");
  });

  it("take back the tokens of an earlier start", async () => {
    const { pool } = fixture.database;
    const seed = (password: string) =>
      seedAccount(pool, { ...SEED, client: { name: "Demo" }, user: { ...LOCAL_ACCOUNT, password } });
    await seed("first");
    const { body } = await logIn(fixture.api, { ...LOCAL_ACCOUNT, password: "first" });
    expect((await get(fixture.api, "/me", [], body.access_token)).status).toBe(200);
    await seed("first");
    expect((await get(fixture.api, "/me", [], body.access_token)).status).toBe(200);
    await seed("second");
    expect((await get(fixture.api, "/me", [], body.access_token)).status).toBe(401);
    expect((await logIn(fixture.api, { ...LOCAL_ACCOUNT, password: "first" })).status).toBe(401);
  });

  it("stand in a note that only its owner reads, in a folder that nobody else looks into", async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-note-"));
    const home = join(folder, "home");
    const login = { username: "a", password: "b" };
    await leaveLocalAddress(home, { url: "http://127.0.0.1:1", login, clock }, clock);
    expect((await stat(join(home, "local-api.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o066).toBe(0);
    await rm(folder, { recursive: true });
  });
});

describe("earshot local-api start on the tables of a demo", () => {
  let child: ChildProcess;
  let folder: string;
  let url: string;
  let token: string;
  const user = { ...LOCAL_ACCOUNT, password: "of the demo that runs" };
  const bundled = bundleEarshot();
  beforeAll(async () => {
    const { pool } = fixture.database;
    const databaseUrl = pool.options.connectionString;
    await seedAccount(pool, { ...SEED, client: { name: "Demo" }, user });
    token = String((await logIn(fixture.api, user)).body.access_token);
    folder = await mkdtemp(join(tmpdir(), "earshot-served-"));
    const { PATH, HOME } = process.env;
    const words = ["local-api", "start", "--port", "0", "--no-sample", "--json"];
    child = spawn(process.execPath, [mainOf(await bundled), ...words], {
      cwd: folder,
      env: { PATH, HOME, DATABASE_URL: databaseUrl, EARSHOT_HOME: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (child.stdout === null) throw new Error("the child has no output");
    const [line] = await once(createInterface(child.stdout), "line");
    url = JSON.parse(line).url;
  }, 120_000);
  afterAll(async () => {
    child?.kill("SIGKILL");
    await (await bundled).remove();
    await rm(folder, { recursive: true });
  });

  it("serves others, and neither the demo's login nor a token of it", async () => {
    const parameters = { username: user.username, grant_type: "api-password", client_id: user.clientId };
    const login = await fetch(`${url}/oauth/token?${new URLSearchParams(parameters)}`, {
      method: "POST",
      body: new URLSearchParams({ password: user.password }),
    });
    expect(login.status).toBe(401);
    expect(await statusOf(`${url}/me`, "localhost", token)).toBe(401);
    expect(await statusOf(`${url}/me`, "localhost", fixture.token)).toBe(200);
    expect((await get(fixture.api, "/me", [], token)).status).toBe(200);
  });
});

function statusOf(url: string, host: string, token?: string): Promise<number> {
  const headers = { host, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, setHost: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}
