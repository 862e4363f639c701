import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClosing } from "../../src/lib/closing.ts";
import { dropSiblingDatabase } from "../../src/monitor/store/sibling-database.ts";
import type { Bundle } from "../bundle.ts";
import { databaseAt } from "../database-at.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";
import { bundleEarshot, mainOf } from "./run-earshot.ts";

const CONFIG = `
source: { baseUrl: "http://127.0.0.1:9", username: a, password: b, clientId: c }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
rules: ${process.cwd()}/rules
`;

const closing = createClosing();
let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleEarshot();
  closing.add(bundle.remove);
});
afterAll(() => closing.close());

test("whoever tries the demo and then configures an account finds nothing of the demo", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-after-demo-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  const database = await createTestDatabase();
  closing.add(database.drop);
  const demoName = `${new URL(database.url).pathname.slice(1)}_demo`;
  closing.add(() => dropSiblingDatabase(database.url, demoName));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATABASE_URL: database.url, EARSHOT_HOME: folder, LOG_LEVEL: "info" };

  /** What anybody does: starts it, and ends it with Ctrl-C after a while. */
  const startAndStop = async (hasWorked: () => Promise<boolean> = async () => true): Promise<void> => {
    const child = spawn(process.execPath, [mainOf(bundle), "start", "--no-page"], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    closing.add(async () => {
      child.kill("SIGKILL");
    });
    let said = "";
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (text: Buffer) => {
          said += text;
          if (said.includes("Earshot is running")) resolve();
        });
      child.once("exit", () => reject(new Error(`it ended: ${said}`)));
    });
    await until("it has worked for a while", hasWorked, { withinMs: 60_000, everyMs: 250 });
    const gone = once(child, "exit");
    child.kill("SIGINT");
    await gone;
  };
  const counts = async (url: string): Promise<{ mentions: number; queries: number }> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      "select (select count(*) from earshot.mentions)::int as mentions, (select count(*) from earshot.queries where query_id <> 'earshot:itself')::int as queries",
    );
    await client.end();
    return rows[0];
  };

  await startAndStop(async () => (await counts(databaseAt(database.url, demoName))).mentions > 0);
  await writeFile(join(folder, "earshot.yaml"), CONFIG);
  await startAndStop();
  expect(await counts(database.url)).toEqual({ mentions: 0, queries: 0 });
}, 180_000);
