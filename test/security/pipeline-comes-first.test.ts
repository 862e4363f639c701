import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { createClosing } from "../../src/lib/closing.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { bundleEarshot, mainOf } from "../cli/run-earshot.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";

const TOKEN = "token-of-a-script";
const WITHIN = { withinMs: 2 * MINUTE, everyMs: 200 };
/** What a container with an eighth of a processor gets: the system stops it in between, and its loop is late each time. */
const RUNS_MS = 80;
const STOPPED_MS = 560;

const closing = createClosing();
afterAll(() => closing.close());

test(
  "in one process, pages are refused while the loop is late, probes are answered, and polls go on storing",
  async () => {
    const { url, send, stored } = await start();
    const pageStatus = () =>
      fetch(`${url}/alerts`).then(
        ({ status }) => status,
        () => 0,
      );
    expect(await pageStatus()).toBe(200);
    await until(
      "a first mention is stored",
      async () => (await push(url, 1)) && (await stored()) > 0,
      WITHIN,
    );

    const slow = runSlowly(send);
    let [refused, before] = [0, 0];
    let isOver = false;
    const readers = Array.from({ length: 20 }, async () => {
      while (!isOver) if ((await pageStatus()) === 503) refused++;
    });
    try {
      await until("pages are refused", () => refused > 0, WITHIN);
      before = await stored();
      await until("a push is taken", () => push(url, 2), WITHIN);
      await until("it was polled and stored", async () => (await stored()) > before, WITHIN);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      const seen = refused;
      await until("pages are still refused", () => refused > seen, WITHIN);
    } finally {
      await slow.stop();
      isOver = true;
      await Promise.all(readers);
    }
    await until("pages are back", async () => (await pageStatus()) === 200, WITHIN);
  },
  6 * MINUTE,
);

/** Until it is stopped; then the program runs as before. */
function runSlowly(send: (signal: "SIGSTOP" | "SIGCONT") => void): { stop(): Promise<void> } {
  let isOver = false;
  const stopAndGo = async (): Promise<void> => {
    while (!isOver) {
      send("SIGSTOP");
      await delay(STOPPED_MS);
      send("SIGCONT");
      await delay(RUNS_MS);
    }
  };
  const ended = stopAndGo();
  return {
    stop: () => {
      isOver = true;
      return ended;
    },
  };
}

async function push(url: string, n: number): Promise<boolean> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const body = JSON.stringify({ text: `acme, number ${n}`, author: `ann-${n}` });
  const answer = await fetch(`${url}/feeds/push`, { method: "POST", headers, body });
  return answer.status === 200;
}

/** The program as people start it. */
async function start() {
  const bundle = await bundleEarshot();
  closing.add(bundle.remove);
  const folder = await mkdtemp(join(tmpdir(), "earshot-first-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  const testDatabase = await createTestDatabase();
  closing.add(testDatabase.drop);
  const database = openDatabase({ url: testDatabase.url, connections: 1, onError: () => {} });
  closing.add(database.close);
  await writeFile(
    join(folder, "earshot.yaml"),
    `listen:
  queries:
    - { name: acme, text: acme }
  feeds:
    - { kind: push, token: ${TOKEN} }
receivers:
  - { name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }
routes:
  - { name: all, receivers: [hook] }
rules: ${process.cwd()}/rules
`,
  );
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATABASE_URL: testDatabase.url, EARSHOT_HOME: join(folder, ".earshot") };
  const words = [mainOf(bundle), "start", "--one-process", "--port", "0"];
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (text: Buffer) => {
    output += text;
  });
  const ended = once(child, "exit");
  closing.add(async () => {
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    await ended;
  });
  const address = () => /"url":"(http:[^"]+)","msg":"the page is open"/.exec(output)?.[1];
  await until("the page is open", () => address() !== undefined || child.exitCode !== null, WITHIN);
  const url = address();
  if (url === undefined) throw new Error(`it ended: ${output}`);
  return {
    url,
    send: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Mentions that polls have stored. */
    async stored(): Promise<number> {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from earshot.mentions`.execute(
        database.db,
      );
      return rows[0]?.n ?? 0;
    },
  };
}
