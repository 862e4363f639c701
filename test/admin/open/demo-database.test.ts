import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  databaseForCommands,
  openDemoDatabase,
  refuseDemoData,
} from "../../../src/admin/open/demo-database.ts";
import { openDatabase } from "../../../src/monitor/store/database.ts";
import { migrate } from "../../../src/monitor/store/migrate.ts";
import { createSettingStore } from "../../../src/monitor/store/settings.ts";
import { dropSiblingDatabase } from "../../../src/monitor/store/sibling-database.ts";
import { createTestDatabase } from "../../postgres.ts";

let real: Awaited<ReturnType<typeof createTestDatabase>>;
let folder: string;

beforeAll(async () => {
  real = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "earshot-demo-"));
});
afterAll(async () => {
  await dropSiblingDatabase(real.url, `${new URL(real.url).pathname.slice(1)}_demo`);
  await real.drop();
  await rm(folder, { recursive: true });
});

async function liveADemo(url: string): Promise<void> {
  await migrate(url);
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  await createSettingStore(database.db).put("demo", { from: 1, at: 2 });
  await database.close();
}

test("the demo and the real monitor share no database, and commands look where something ran", async () => {
  const configFile = join(folder, "earshot.yaml");
  // Nothing has run: the real one's.
  expect(await databaseForCommands(real.url, configFile)).toBe(real.url);
  const demo = await openDemoDatabase(real.url);
  expect(demo).not.toBe(real.url);
  await liveADemo(demo);
  expect(await openDemoDatabase(real.url)).toBe(demo);
  expect(await databaseForCommands(real.url, configFile)).toBe(demo);
  // The demo becomes the real thing: a configuration, and a clean database.
  await writeFile(configFile, "source: {}");
  expect(await databaseForCommands(real.url, configFile)).toBe(real.url);
  await expect(refuseDemoData(real.url)).resolves.toBeUndefined();
});

test("a database in which an earlier version kept its demo is refused, with what to do", async () => {
  await liveADemo(real.url);
  await expect(refuseDemoData(real.url)).rejects.toMatchObject({
    message: expect.stringContaining("invented mentions"),
    details: [expect.stringContaining("EARSHOT_HOME")],
  });
});
