import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findFaults, type Repository } from "./architecture/find-faults.ts";
import { WIRING } from "./architecture/tables.ts";

const ROOT = join(import.meta.dirname, "..");

test("every file is in a known folder and imports only what it may", () => {
  expect(findFaults(readRepository())).toEqual([]);
});

test("the wiring has at most 1,500 lines, because no feature is in it", () => {
  const wiring = Object.entries(readRepository().files).filter(
    ([path]) => WIRING.files.test(path) && !WIRING.except.test(path),
  );
  const lines = wiring.reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0);
  expect(lines).toBeLessThanOrEqual(WIRING.mostLines);
});

test("stores write JSON as PostgreSQL accepts it, whatever strangers wrote: by storableJson", () => {
  const stores = Object.entries(readRepository().files).filter(([path]) => /^src\/[^/]+\/store\//.test(path));
  expect(stores.length).toBeGreaterThan(100);
  const written = stores.filter(([, text]) => /\$\{[^}]*\bJSON\.stringify/.test(text));
  expect(written.map(([path]) => path)).toEqual([]);
});

const GOOD: Readonly<Record<string, string>> = {
  "src/lib/clock.ts": "export const now = () => Date.now();",
  "src/monitor/model/query.ts":
    'import { now } from "../../lib/clock.ts";\nexport const query = { at: now() };',
  "src/monitor/rules/spike/detector.ts":
    'import type { query } from "../../model/query.ts";\nexport type Seen = typeof query;',
  "src/monitor/rules/conditions/spike.ts":
    'import { Seen } from "../spike/detector.ts";\nexport type Spike = Seen;',
  "src/monitor/rules/conditions.ts":
    'import { Spike } from "./conditions/spike.ts";\nexport type All = Spike;',
  "src/monitor/store/alerts.ts": 'import pg from "pg";\nexport const sql = "select 1 from alert";',
  "src/monitor/queue/queues.ts": 'import { Queue } from "bullmq";\nexport const queue = Queue;',
  "src/monitor/index.ts": 'export { queue } from "./queue/queues.ts";',
  "src/app/run-worker.ts": 'import { queue } from "#monitor";\nexport const app = queue;',
  "workers/poll.ts": 'import { app } from "../src/app/run-worker.ts";\napp();',
};

test("a repository that keeps to them has no faults", () => {
  expect(faultsWith({})).toEqual([]);
});

test.each([
  [
    "a pure part imports an edge",
    "src/monitor/alerts/a.ts",
    'import { sql } from "../store/alerts.ts";',
    /alerts may not import store/,
  ],
  [
    "an edge imports another",
    "src/monitor/source/a.ts",
    'import { queue } from "../queue/queues.ts";',
    /source may not import queue/,
  ],
  [
    "an edge imports a pure part",
    "src/monitor/store/a.ts",
    'export { All } from "../rules/conditions.ts";',
    /store may not import rules/,
  ],
  [
    "a page has many elements in a line",
    "src/console/pages/a.ts",
    `const row = html\`${"<td>a</td>".repeat(20)}\`;`,
    /a\.ts:1: a line of more than 160 characters/,
  ],
  [
    "lib imports the model",
    "src/lib/a.ts",
    'import type { query } from "#monitor";',
    /lib may not import monitor/,
  ],
  [
    "the two ends share the model",
    "src/listening-api/a.ts",
    'import type { query } from "#monitor";',
    /listening-api may not import monitor/,
  ],
  [
    "an import over several lines",
    "src/monitor/rules/spike/a.ts",
    'import {\n  queue, // the queue\n} from "../../queue/queues.ts";',
    /spike may not import queue/,
  ],
  [
    "an import when needed",
    "src/monitor/rules/spike/a.ts",
    'export const q = () => import("../../queue/queues.ts");',
    /spike may not import queue/,
  ],
  [
    "a worker goes past the app",
    "workers/a.ts",
    'import { sql } from "../src/monitor/store/alerts.ts";',
    /workers may not import src\/monitor\/store/,
  ],
  ["src imports a worker", "src/app/a.ts", 'import "../../workers/poll.ts";', /src may not import workers/],
  ["src imports a test", "src/console/a.ts", 'import "../../test/postgres.ts";', /src may not import test/],
  [
    "bullmq in web",
    "src/console/a.ts",
    'import { Queue } from "bullmq";',
    /bullmq may only be imported in src\/monitor\/queue/,
  ],
  [
    "a vendor outside its notifier",
    "src/monitor/notify/a.ts",
    'import { WebClient } from "@slack/web-api";',
    /@slack\/web-api may only/,
  ],
  [
    "fastify in notify",
    "src/monitor/notify/a.ts",
    'import form from "@fastify/formbody";',
    /@fastify\/formbody may only/,
  ],
  [
    "the environment",
    "src/console/a.ts",
    "export const port = process.env.PORT;",
    /process\.env is not allowed here/,
  ],
  [
    "the environment by a string",
    "src/console/a.ts",
    'export const port = process["env"];',
    /process\.env is not allowed here/,
  ],
  [
    "a question for an address",
    "src/console/a.ts",
    "export const is = URL.canParse(a);",
    /URL\.canParse is not allowed here/,
  ],
  ["the clock", "src/console/a.ts", "export const at = Date.now();", /clock is not allowed here/],
  [
    "the clock as an object",
    "src/console/a.ts",
    "export const at = new Date();",
    /clock is not allowed here/,
  ],
  [
    "SQL in web",
    "src/console/a.ts",
    "export const sql = `select id\n from alert`;",
    /SQL text is not allowed here/,
  ],
  [
    "another room without its door",
    "src/console/a.ts",
    'import { queue } from "../monitor/queue/queues.ts";',
    /entered by its door: import it from "#monitor"/,
  ],
  [
    "a room through its own door",
    "src/monitor/source/a.ts",
    'import { queue } from "#monitor";',
    /a room does not use its own door/,
  ],
  [
    "a room looks up",
    "src/monitor/rules/spike/a.ts",
    'import { app } from "#app";',
    /monitor may not import app/,
  ],
  ["an unknown folder of the monitor", "src/monitor/x/a.ts", "export const a = 1;", /no folder x/],
  ["an unknown room", "src/utils/a.ts", "export const a = 1;", /src has no room utils/],
  [
    "a kind that leaks",
    "src/monitor/health/a.ts",
    "export const a = (notifier: { kind: string }) => notifier.kind === 'slack';",
    /question for the kind of a notifier/,
  ],
  [
    "a decision by the words of an error",
    "src/monitor/ingest/a.ts",
    "export const isAway = (error: Error) => /pool/i.test(error.message);",
    /a decision by the words of an error/,
  ],
  [
    "a label from stored prose",
    "src/console/a.ts",
    'export const labelOf = ({ detail }: { detail: string }) => (detail.startsWith("refused") ? "refused" : "other");',
    /a decision by the words of an error/,
  ],
  [
    "a failure told by its sentence",
    "src/monitor/queue/a.ts",
    'export const isGone = (error: Error) => error.message === "Connection terminated";',
    /a decision by the words of an error/,
  ],
  [
    "an error of any shape",
    "src/monitor/polling/a.ts",
    'export const mayRetry = (error: object) => Reflect.get(error, "retryable") !== false;',
    /an error asked for a field by its name/,
  ],
  [
    "a code found by hand",
    "src/app/a.ts",
    'export const isUsed = (error: object) => "code" in error && error.code === "EADDRINUSE";',
    /an error asked for a field by its name/,
  ],
  ["a barrel", "src/console/a.ts", 'export * from "./b.ts";', /re-export of a whole file/],
  ["a default export", "src/console/a.ts", "export default 1;", /default export/],
  [
    "a plug-in missing from its list",
    "src/monitor/notify/notifiers/slack.ts",
    "export const a = 1;",
    /add it to src\/monitor\/notify\/notifiers\.ts/,
  ],
  [
    "a circle",
    "src/lib/clock.ts",
    'import { a } from "./clock.ts";',
    /circle: src\/lib\/clock\.ts → src\/lib\/clock\.ts/,
  ],
])("a planted fault is found: %s", (_name, path, text, expected) => {
  expect(faultsWith({ [path]: text })).toEqual([expect.stringMatching(expected)]);
});

test.each([
  ["comments", '// import "bullmq"; Date.now()\n/* process.env, new Date() */ export const a = 1;'],
  ["strings", 'export const a = "process.env and Date.now() and import { a } from bullmq";'],
  ["a moment made from a number", "export const a = new Date(0).toISOString();"],
  [
    "sentences that begin like SQL",
    'export const a = "Select a query from the list below";'.replace("Select", "Please select"),
  ],
  ["quotes in regular expressions", "export const a = /[\"'`]/.test(b) ? 1 / 2 : 3; // Date.now()"],
  [
    "code in templates",
    `export const a = \`\${[1].map((n) => \`\${n} "quoted"\`).join("\`")} // no comment\`;`,
  ],
])("no fault: %s", (_name, text) => {
  expect(faultsWith({ "src/console/a.ts": text })).toEqual([]);
});

test("an unknown folder at the top level is found", () => {
  const topLevelFolders = ["src", "test", "node_modules", ".ci", "scripts"];
  expect(findFaults({ files: GOOD, topLevelFolders })).toEqual([
    expect.stringMatching(/^scripts\/: no such folder at the top level/),
  ]);
});

test("two folders of the monitor that know each other are found, types included", () => {
  const faults = faultsWith({
    "src/monitor/notify/a.ts": 'import type { B } from "../health/b.ts";\nexport type A = B;',
    "src/monitor/health/b.ts": 'import type { C } from "../notify/c.ts";\nexport type B = C;',
    "src/monitor/notify/c.ts": "export type C = 1;",
  });
  expect(faults).toEqual(["folders of monitor import each other in a circle: health, notify"]);
});

test("a circle through several files is reported once", () => {
  const faults = faultsWith({
    "src/console/a.ts": 'import "./b.ts";',
    "src/console/b.ts": 'import "./c.ts";',
    "src/console/c.ts": 'import "./a.ts";',
  });
  expect(faults).toEqual([
    "files import each other in a circle: src/console/a.ts → src/console/b.ts → src/console/c.ts → src/console/a.ts",
  ]);
});

function faultsWith(planted: Readonly<Record<string, string>>): string[] {
  return findFaults({ files: { ...GOOD, ...planted }, topLevelFolders: ["src", "workers"] });
}

function readRepository(): Repository {
  const paths = ["src", "workers"].flatMap(listFiles).filter((path) => path.endsWith(".ts"));
  return {
    files: Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")])),
    topLevelFolders: readdirSync(ROOT, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name),
  };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
      (path) => `${folder}/${path.replaceAll("\\", "/")}`,
    );
  } catch {
    // A clone may not have workers yet.
    return [];
  }
}
