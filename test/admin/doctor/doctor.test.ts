import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEnvironment } from "../../../src/admin/config/environment.ts";
import { checkDatabase } from "../../../src/admin/doctor/check-database.ts";
import { doctor } from "../../../src/admin/doctor/doctor.ts";
import type { Finding } from "../../../src/admin/doctor/finding.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { createLog } from "../../../src/lib/log.ts";
import { openDatabase } from "../../../src/monitor/store/database.ts";
import type { Bundle } from "../../bundle.ts";
import { bundleEarshot, runEarshot } from "../../cli/run-earshot.ts";
import { type FakeSlack, startFakeSlack } from "../../fakes/slack.ts";
import { closedPort, type FakeSmtp, startFakeSmtp } from "../../fakes/smtp.ts";
import { type FakeWebServer, startFakeWebServer } from "../../fakes/web-server.ts";
import { type Fixture, SEED, startFixture } from "../../listening-api/fixture.ts";
import { createTestDatabase, type TestDatabase } from "../../postgres.ts";
import { hasRedis, NO_REDIS, startRedis } from "../../redis.ts";

const ROOT = join(import.meta.dirname, "../../..");
let api: Fixture;
let baseUrl: string;
let slack: FakeSlack;
let smtp: FakeSmtp;
let web: FakeWebServer;
let database: TestDatabase;
let folder: string;
let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleEarshot();
  api = await startFixture({
    ...SEED,
    client: { name: "Acme", tags: { "ratelimit.limit": "60", "ratelimit.period": "10" } },
  });
  baseUrl = await api.api.listen({ host: "127.0.0.1", port: 0 });
  slack = await startFakeSlack({ channels: ["alerts"] });
  smtp = await startFakeSmtp();
  web = await startFakeWebServer();
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "earshot-doctor-"));
});

afterAll(async () => {
  await Promise.all([api.stop(), slack.close(), smtp.close(), web.close(), database.drop(), bundle.remove()]);
  await rm(folder, { recursive: true });
});

interface Changes {
  readonly password?: string;
  readonly queries?: readonly string[];
  readonly channel?: string;
  readonly smtpPort?: number;
  readonly hook?: string;
  readonly templates?: string;
  readonly rules?: string;
  readonly routes?: readonly object[];
  readonly digests?: readonly object[];
}

async function writeConfig(changes: Changes = {}): Promise<string> {
  const file = join(folder, "earshot.yaml");
  await writeFile(
    file,
    JSON.stringify({
      source: {
        baseUrl,
        username: SEED.user.username,
        password: changes.password ?? SEED.user.password,
        clientId: "earshot-api-client",
        queries: changes.queries ?? ["*"],
      },
      receivers: [
        {
          name: "comms",
          kind: "slack",
          channel: changes.channel ?? "#alerts",
          token: slack.token,
          apiUrl: slack.apiUrl,
        },
        {
          name: "desk",
          kind: "email",
          to: "desk@acme.example",
          from: "earshot@acme.example",
          smtp: { host: smtp.host, port: changes.smtpPort ?? smtp.port, user: "u", password: "mail-secret" },
        },
        { name: "tickets", kind: "webhook", url: changes.hook ?? web.url, allowPrivateAddress: true },
      ],
      routes: [...(changes.routes ?? []), { receivers: ["comms", "desk", "tickets"] }],
      ...(changes.digests === undefined ? {} : { digests: changes.digests }),
      rules: changes.rules ?? join(ROOT, "rules"),
      templates: changes.templates ?? join(ROOT, "templates"),
    }),
  );
  return file;
}

async function examineWith(file: string, env: Record<string, string> = {}): Promise<readonly Finding[]> {
  const environment = readEnvironment({ DATABASE_URL: database.url, EARSHOT_HOME: folder, ...env });
  return doctor({
    environment,
    env: {},
    file,
    clock: systemClock,
    log: createLog({ level: "silent" }),
  });
}

function states(findings: readonly Finding[]): Record<string, string> {
  return Object.fromEntries(findings.map(({ what, state }) => [what, state]));
}

test("if all is well, every check says so and no message is sent", async () => {
  const findings = await examineWith(await writeConfig());
  expect(states(findings)).toMatchObject({
    configuration: "ok",
    rules: "ok",
    templates: "ok",
    credentials: "ok",
    budget: "ok",
    projects: "ok",
    queries: "ok",
    database: "ok",
    migrations: "ok",
    disk: "ok",
    clock: "ok",
    connections: "ok",
    pipeline: "ok",
    "dead letters": "ok",
    queue: "ok",
    "receiver comms": "ok",
    "receiver desk": "ok",
    "receiver tickets": "ok",
  });
  expect(findings.find(({ what }) => what === "budget")?.found).toMatch(/^60 calls in 10m/);
  expect(slack.calls.map(({ method }) => method)).not.toContain("chat.postMessage");
  expect([smtp.mails, web.requests]).toEqual([[], []]);
});

test("problems are named with what to do, and no secret is shown", async () => {
  const port = await closedPort();
  const file = await writeConfig({
    password: "a wrong password",
    channel: "#gone",
    smtpPort: port,
    hook: `http://127.0.0.1:${port}/hook/very-secret-path`,
  });
  const findings = await examineWith(file, {
    DATABASE_URL: `postgres://someone:pg-secret@127.0.0.1:${port}/earshot`,
    REDIS_URL: `redis://:redis-secret@127.0.0.1:${port}`,
  });
  const failed = findings.filter(({ state }) => state === "fail");
  expect(failed.map(({ what }) => what).sort()).toEqual([
    "credentials",
    "database",
    "receiver comms",
    "receiver desk",
    "receiver tickets",
    "redis",
  ]);
  for (const { advice } of failed) expect(advice).toMatch(/\.$|\?$/);
  expect(failed.find(({ what }) => what === "receiver comms")?.advice).toContain("/invite");
  const said = JSON.stringify(findings);
  for (const secret of [
    "a wrong password",
    "pg-secret",
    "redis-secret",
    "mail-secret",
    "very-secret",
    slack.token,
  ])
    expect(said).not.toContain(secret);
});

test("names in source.queries without a query are reported, because a monitor of nothing is silent", async () => {
  const findings = await examineWith(await writeConfig({ queries: ["Amce*"] }));
  const said = findings.find(({ what }) => what === "queries");
  expect(said).toMatchObject({
    state: "fail",
    found: expect.stringMatching(/^none matches source\.queries in 1 project, but there are \w/),
  });
});

test("unknown queries in rules, routes and digests are reported, known ones are not", async () => {
  const rules = join(folder, "rules-of-queries");
  await mkdir(rules);
  await writeFile(
    join(rules, "named.yaml"),
    "description: d\nseverity: info\nwhen: { sentiment: negative }\nqueries: [alpha, Nonexistent]\n",
  );
  const route = { match: { query: ["Alpah", "B*"] }, receivers: ["comms"], continue: true };
  const digest = { name: "d", at: "08:00", timezone: "UTC", receivers: ["desk"], queries: ["Nope*"] };
  const findings = await examineWith(await writeConfig({ rules, routes: [route], digests: [digest] }));
  expect(findings.filter(({ what, state }) => what === "queries" && state === "fail")).toMatchObject([
    { found: 'rule named names "Nonexistent", which matches no watched query (watched are Alpha, Beta)' },
    { found: 'routes[0].match.query names "Alpah", which matches no watched query — did you mean "Alpha"?' },
    { found: 'digests[0].queries names "Nope*", which matches no watched query (watched are Alpha, Beta)' },
  ]);
});

test("a database that a later version has changed is reported", async () => {
  const newer = await createTestDatabase();
  const opened = openDatabase({ url: newer.url, onError: () => {} });
  try {
    await sql`insert into earshot.kysely_migration (name, timestamp) values ('9999-later', '')`.execute(
      opened.db,
    );
    expect((await checkDatabase(newer.url)).find(({ what }) => what === "migrations")).toMatchObject({
      state: "fail",
      found: "a later Earshot has changed the database (9999-later)",
    });
  } finally {
    await opened.close();
    await newer.drop();
  }
});

test("a folder that replaces one template is valid, and one with a faulty template is reported", async () => {
  const own = await mkdtemp(join(folder, "templates-"));
  const template = join(own, "slack", "alert-fallback.mrkdwn.hbs");
  await mkdir(dirname(template));
  const file = await writeConfig({ templates: own });
  await writeFile(template, "Look: {{query}}\n");
  expect(states(await examineWith(file))).toMatchObject({ templates: "ok", "receiver comms": "ok" });
  await writeFile(template, "Look: {{qeury}}\n");
  const reported = (await examineWith(file)).filter(({ what }) => what === "templates");
  expect(reported).toEqual([
    expect.objectContaining({ state: "fail", found: expect.stringContaining("qeury") }),
  ]);
});

test("a faulty configuration is reported line by line, and the engines are still checked", async () => {
  const file = join(folder, "faulty.yaml");
  await writeFile(file, "source: {}\nreceivers: []\nroutes: []\nretentoin: 4d\n");
  const findings = await examineWith(file);
  expect(findings.filter(({ what }) => what === "configuration").length).toBeGreaterThan(3);
  expect(states(findings)).toMatchObject({ configuration: "fail", database: "ok", rules: "ok" });
});

test.skipIf(!hasRedis())(
  `a Redis without persistence or with eviction is reported (${NO_REDIS} where there is none)`,
  async () => {
    const redis = await startRedis();
    try {
      const findings = await examineWith(await writeConfig(), { REDIS_URL: redis?.url ?? "" });
      expect(states(findings)).toMatchObject({
        redis: "ok",
        "redis eviction": "ok",
        "redis persistence": "warn",
      });
    } finally {
      await redis?.stop();
    }
  },
);

test("the command prints a table, or JSON, and its exit code says whether something failed", async () => {
  const file = await writeConfig({ channel: "#gone" });
  const [plain, json] = await Promise.all([
    earshot("doctor", "--config", file),
    earshot("doctor", "--config", file, "--json"),
  ]);
  expect(plain.code, plain.err).toBe(1);
  expect(plain.out).toMatch(/^ok {4}configuration {2}/m);
  expect(plain.out).toMatch(/^fail {2}receiver comms {3,}slack: .*#gone\n +→ Check the channel/m);
  expect(plain.err).toBe("earshot: 1 check failed\n");
  expect(json.code).toBe(1);
  expect(states(JSON.parse(json.out))).toMatchObject({ "receiver comms": "fail", "receiver desk": "ok" });
});

const earshot = (...words: readonly string[]) =>
  runEarshot(bundle, words, { cwd: folder, env: { DATABASE_URL: database.url } });
