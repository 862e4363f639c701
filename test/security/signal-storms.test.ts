import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { digestOfFiles } from "../../src/admin/reload/load-files.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { versionsIn } from "../../src/monitor/notify/view/name-versions.ts";
import { type Bundle, bundleEntries } from "../bundle.ts";
import { until } from "../until.ts";
import { useStores } from "../use-stores.ts";

const ENTRY = "workers/deliver.ts";
const { stores, url } = await useStores();
let bundle: Bundle;
let folder: string;
let file: string;
let child: ChildProcess;
let said = "";

beforeAll(async () => {
  bundle = await bundleEntries([ENTRY]);
});
afterAll(() => bundle.remove());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-signals-"));
  file = join(folder, "earshot.yaml");
  await mkdir(join(folder, "rules"));
  await write(1);
  const { PATH, HOME } = process.env;
  child = spawn(process.execPath, [bundle.file(ENTRY)], {
    cwd: folder,
    env: { PATH, HOME, DATABASE_URL: url, REDIS_URL: "", EARSHOT_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (text: Buffer) => {
      said += text;
    });
});
afterEach(async () => {
  child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

async function write(n: number): Promise<void> {
  const config = `
source: { baseUrl: "http://127.0.0.1:9", username: a, password: b, clientId: c }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
timezone: Etc/GMT+${n}
`;
  await writeFile(file, config);
  const rule = `description: Version ${n}.\nseverity: warning\nwhen: { keyword: a }\n`;
  await writeFile(join(folder, "rules", "a-rule.yaml"), rule);
}

test("a worker survives a thousand SIGHUPs in a second while its files are written, and ends with the last ones", async () => {
  await until("the worker runs", () => /the worker is running/.test(said), { withinMs: 60_000 });
  const reloads = () => said.match(/the configuration was reloaded/g)?.length ?? 0;
  const startedAt = monotonicMs();
  let n = 1;
  for (let sent = 0; sent < 1_000; sent++) {
    child.kill("SIGHUP");
    if (sent % 100 === 50) {
      n = (n % 12) + 1;
      await write(n);
    }
    await nextTurn();
  }
  const lasted = monotonicMs() - startedAt;
  const digest = (await digestOfFiles(file, {})) ?? "";
  const version = (await versionsIn(stores))(digest);
  await until(
    "the last version runs",
    async () =>
      (await stores.processes.running()).every((one) => one.version === version && one.refused === null),
    { withinMs: 30_000 },
  );
  // One in a second at most, and the last one.
  expect(reloads()).toBeLessThanOrEqual(2 + Math.ceil(lasted / 1_000));
  expect(said).not.toMatch(/not reloaded|MaxListeners|"level":[56]0/);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
