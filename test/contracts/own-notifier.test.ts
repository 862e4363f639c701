import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inventLocalSecrets, LOCAL_ACCOUNT } from "../../src/console/inbox/local-account.ts";
import { type LocalParts, startLocalParts } from "../../src/lab/local/local-parts.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { SECOND, toIso } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { importMentions } from "../../src/listening-api/import/import-mentions.ts";
import { openDatabase, openPool } from "../../src/monitor/store/database.ts";
import { type FakeWebServer, startFakeWebServer } from "../fakes/web-server.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";

/** The one file. */
const PIGEON = `
import { request } from "undici";
import { z } from "zod";
import { durationBetween } from "../../../lib/duration.ts";
import { HOUR } from "../../../lib/instant.ts";
import { defineNotifier } from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";

export const pigeon = defineNotifier({
  kind: "pigeon",
  config: z.strictObject({
    kind: z.literal("pigeon"),
    loft: z.url("expected the address of a loft"),
    keeper: z.string().min(1),
    flyEvery: durationBetween(0, HOUR),
  }),
  words: { checked: "the loft answers", sent: "the pigeon has left" },
  channel: ({ loft, flyEvery }) => ({ key: \`pigeon \${loft}\`, everyMs: flyEvery, burst: 1 }),
  reader: ({ keeper }) => keeper,
  faults: (_, { publicUrl }) =>
    publicUrl === null ? [{ path: ["loft"], message: "a pigeon needs web.publicUrl to find home" }] : [],
  concerns: ({ loft }) =>
    loft.startsWith("https:") ? [] : [{ found: "the loft has no lock", advice: "Give it one." }],
  preview: ({ view }) => ({ note: "severity" in view ? \`\${view.severity} \${view.query}\` : "digest" }),
  rehearse: {
    config: (config, { httpUrl }) => ({ ...config, loft: httpUrl, flyEvery: 0 }),
    isOf: (request, id) => request.by === "http" && request.body.includes(id),
  },
  create: ({ loft }) => ({
    send: async ({ notificationId, view }, { signal, beforePost }) => {
      await beforePost?.();
      const actions = "actions" in view ? view.actions : [];
      const body = JSON.stringify({ notificationId, actions });
      const { statusCode, body: answer } = await request(loft, { method: "POST", body, signal });
      await answer.dump();
      if (statusCode !== 200) throw new DeliveryError("the loft is closed", { code: "loft_closed", retryable: true });
      return { vendorRef: { ring: notificationId } };
    },
    check: async ({ signal }) => {
      const { body } = await request(loft, { method: "HEAD", signal });
      await body.dump();
    },
    close: async () => {},
  }),
});
`;

/** The one line, and the import that every line of a list needs. */
const LIST = "src/monitor/notify/notifiers.ts";
const LINE = { find: /(?<=notifiers = \[.*)(?=\] as const)/, replace: ", pigeon" };
const IMPORT = 'import { pigeon } from "./notifiers/pigeon.ts";\n';

const ROOT = join(import.meta.dirname, "../..");
const COPIED = ["src", "workers", "templates", "rules", ".build.js", "package.json", "package-lock.json"];
const closing = createClosing();
const run = promisify(execFile);
/** A copy of the sources with the pigeon in it; below the root, where the packages are found. */
let copy: string;
let loft: FakeWebServer;
let env: Record<string, string | undefined>;
let config: { [key: string]: unknown; receivers: object[] };

beforeAll(async () => {
  await mkdir(join(ROOT, "dist"), { recursive: true });
  copy = await mkdtemp(join(ROOT, "dist", "own-notifier-"));
  closing.add(() => rm(copy, { recursive: true, force: true }));
  for (const one of [...COPIED, "tsconfig.json"])
    await cp(join(ROOT, one), join(copy, one), { recursive: true });
  await writeFile(join(copy, "src/monitor/notify/notifiers/pigeon.ts"), PIGEON);
  const list = await readFile(join(copy, LIST), "utf8");
  expect(list).toMatch(LINE.find);
  await writeFile(join(copy, LIST), `${IMPORT}${list.replace(LINE.find, LINE.replace)}`);
  await run(process.execPath, [join(copy, ".build.js")]);
  loft = await startFakeWebServer();
  closing.add(loft.close);
  const database = await createTestDatabase();
  closing.add(database.drop);
  const { PATH, HOME } = process.env;
  env = { PATH, HOME, DATABASE_URL: database.url, EARSHOT_HOME: copy, LOG_LEVEL: "warn" };
  const source = await startSource(database.url);
  await mkdir(join(copy, "own-rules"));
  await writeFile(
    join(copy, "own-rules/recall.yaml"),
    "description: Somebody speaks of a recall.\nseverity: warning\nwhen: { keyword: recall }\ngroupBy: author\n",
  );
  config = {
    source: { baseUrl: source.apiUrl, ...LOCAL_ACCOUNT, password: source.secrets.password, pollEvery: "1s" },
    receivers: [
      { name: "tower", kind: "pigeon", loft: loft.url, keeper: "ann@brand.example", flyEvery: "1s" },
    ],
    routes: [{ receivers: ["tower"] }],
    rules: "own-rules",
    web: { publicUrl: "https://earshot.brand.example" },
  };
});
afterAll(() => closing.close());

async function startSource(url: string): Promise<LocalParts> {
  const pool = openPool({ url, onError: () => {} });
  closing.add(() => pool.end());
  const inbox = openDatabase({ url, onError: () => {} });
  closing.add(inbox.close);
  const secrets = inventLocalSecrets();
  const { projectId } = await seedAccount(pool, {
    client: { name: "Client" },
    user: { ...LOCAL_ACCOUNT, password: secrets.password },
    project: { name: "Brands" },
    queries: [{ name: "Acme" }],
    at: 0,
  });
  const log = pino({ level: "silent" });
  const parts = await startLocalParts({ pool, db: inbox.db, clock: systemClock, log, secrets });
  closing.add(parts.close);
  stream = async () => {
    const watched = "select 1 from earshot.queries where active";
    const isWatched = () =>
      pool.query(watched).then(
        ({ rowCount }) => rowCount === 1,
        () => false,
      );
    await until("the query is watched", isWatched, { withinMs: 20_000, everyMs: 100 });
    const path = join(copy, "stream.jsonl");
    const date = toIso(systemClock.now() + SECOND).replace("Z", "+0000");
    const rows = ["ann", "bo", "cy"].map((author) =>
      JSON.stringify({ id: author, brand: "Acme", author, text: "They ought to recall it", date }),
    );
    await writeFile(path, rows.join("\n"));
    await importMentions({ pool, path, projectId });
  };
  return parts;
}

/** Three people speak of a recall. */
let stream: () => Promise<void>;

async function earshot(words: readonly string[], changed: object = {}) {
  // JSON is YAML.
  await writeFile(join(copy, "earshot.yaml"), JSON.stringify({ ...config, ...changed }));
  return run(process.execPath, [join(copy, "dist/src/cli/main.js"), ...words], { cwd: copy, env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

test("one file and one line satisfy the compiler", async () => {
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const said = await run(tsc, ["-p", join(copy, "tsconfig.json")]).catch(({ stdout }) => stdout);
  expect(said).toMatchObject({ stdout: "" });
}, 120_000);

test("its configuration is checked like that of every kind, with its own faults and advice", async () => {
  expect(await earshot(["check"])).toMatchObject({ code: 0 });
  const [tower] = config.receivers;
  const wrong = await earshot(["check"], {
    receivers: [{ ...tower, loft: "a tree", flyEvery: "2d", seed: 1 }],
  });
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("expected the address of a loft");
  expect(wrong.err).toContain("seed");
  expect(wrong.err).toMatch(/flyEvery|1h/);
  const alone = await earshot(["check"], { web: {} });
  expect([alone.code, alone.err]).toEqual([2, expect.stringContaining("a pigeon needs web.publicUrl")]);
  expect((await earshot(["schemas", "--json"])).out).toMatch(/"const": ?"pigeon"/);
  const doctor = await earshot(["doctor"]);
  expect(doctor.out).toContain("pigeon: the loft answers");
  expect(doctor.out).toContain("the loft has no lock");
});

test("its messages are previewed and tested", async () => {
  const shown = await earshot(["preview", "alert", "--json"]);
  expect(JSON.parse(shown.out)).toMatchObject({
    pigeon: { note: "critical Northwind" },
    slack: {},
    email: {},
  });
  await earshot(["preview", "alert", "--no-pictures", "--out", "shown"]);
  expect(await readFile(join(copy, "shown/alert-fired.pigeon.json"), "utf8")).toContain("critical Northwind");
  const before = posted().length;
  const sent = await earshot(["send-test", "tower"]);
  expect(sent).toMatchObject({ code: 0, out: expect.stringContaining("tower: the pigeon has left") });
  expect(posted()).toHaveLength(before + 1);
});

test("a rule test sees whom it notifies", async () => {
  await mkdir(join(copy, "own-rules/tests"), { recursive: true });
  await writeFile(
    join(copy, "own-rules/tests/recall.test.yaml"),
    `rule: recall
description: the tower is notified of a recall, and of nothing else
start: 2026-03-02T08:00 Europe/Berlin
queries: [Acme]
story:
  - { at: "09:00", mentions: 1, text: They ought to recall it }
expect:
  - { by: "09:05", alert: firing, to: [tower] }
`,
  );
  const before = posted().length;
  expect(await earshot(["test"])).toMatchObject({ code: 0, out: expect.stringContaining("1 passed") });
  // The loft itself got nothing.
  expect(posted()).toHaveLength(before);
}, 120_000);

test("its alerts are delivered once, at its own pace, with links for its one reader", async () => {
  const before = posted().length;
  await earshot(["check"]);
  const child = spawn(process.execPath, [join(copy, "dist/src/cli/main.js"), "start", "--no-page"], {
    cwd: copy,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  closing.add(async () => {
    child.kill("SIGKILL");
  });
  await stream();
  const startedAt = systemClock.now();
  await until("three pigeons have left", () => posted().length >= before + 3, {
    withinMs: 20_000,
    everyMs: 50,
  });
  // The first goes at once, the others a second after each other.
  expect(systemClock.now() - startedAt).toBeGreaterThan(1.5 * SECOND);
  const messages = posted().slice(before);
  expect(new Set(messages.map(({ notificationId }) => notificationId)).size).toBe(3);
  for (const { actions } of messages)
    expect(actions[0]).toMatchObject({ url: expect.stringContaining("https://earshot.brand.example/act/") });
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
});

/** Messages without the calls of checks, which have no body. */
function posted(): readonly { notificationId: string; actions: readonly { url: string }[] }[] {
  return loft.requests.filter(({ body }) => body !== "").map(({ body }) => JSON.parse(body));
}
