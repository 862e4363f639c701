import { EventEmitter } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listenForHangUps } from "../../../src/admin/reload/hang-ups.ts";
import { joinProcesses } from "../../../src/admin/reload/join-processes.ts";
import { digestOfFiles, type LoadedFiles, loadFiles } from "../../../src/admin/reload/load-files.ts";
import { followReloads } from "../../../src/admin/reload/reload.ts";
import { requestReload } from "../../../src/admin/reload/request-reload.ts";
import { type Closing, createClosing } from "../../../src/lib/closing.ts";
import { createLog } from "../../../src/lib/log.ts";
import { useStores } from "../../use-stores.ts";

const { stores } = await useStores();
const log = createLog({ level: "silent" });
const WAIT = { timeout: 20_000, interval: 20 };
let folder: string;
let file: string;
let closing: Closing;
/** The versions that the process took, in order: the number in earshot.yaml and that in the rule. */
let taken: (readonly [string, string])[];
/** What happens while a version is opened. */
let opening: () => Promise<unknown>;
let reports: number;
/** What the process finds out about the others while it looks at its files. */
let onLook: () => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-storm-"));
  file = join(folder, "earshot.yaml");
  closing = createClosing();
  [taken, reports, opening, onLook] = [[], 0, async () => {}, () => {}];
  await mkdir(join(folder, "rules"));
  for (const write of [writeConfig, writeRule]) await write(1);
});
afterEach(async () => {
  await closing.close();
  await rm(folder, { recursive: true });
});

const writeConfig = (n: number) =>
  writeFile(
    file,
    `
source: { baseUrl: "http://127.0.0.1:9", username: a, password: b, clientId: c }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
timezone: Etc/GMT+${n}
`,
  );
const writeRule = (n: number) =>
  writeFile(
    join(folder, "rules", "a-rule.yaml"),
    `description: Version ${n}.\nseverity: warning\nwhen: { keyword: a }\n`,
  );

/** A process that runs version 1. Its signals are events of `host`. */
async function start(): Promise<EventEmitter> {
  const host = new EventEmitter();
  const files = await loadFiles(file, {}, { triesTemplates: true });
  const joined = joinProcesses(["tick"], files, log);
  await joined.join(stores);
  const prepare = async ({ config, rules }: LoadedFiles) => {
    await opening();
    const numberIn = (text = "") => /\d+/.exec(text)?.[0] ?? "";
    return {
      take: () => void taken.push([numberIn(config.timezone), numberIn(rules[0]?.description)]),
      drop: async () => {},
    };
  };
  const processes = {
    ...stores.processes,
    report: (one: Parameters<typeof stores.processes.report>[0]) => {
      reports += 1;
      return stores.processes.report(one);
    },
    running: () => {
      onLook();
      return stores.processes.running();
    },
  };
  const running = { stores: { ...stores, processes }, prepare };
  const hangUps = listenForHangUps(host);
  await followReloads({ file, env: {}, joined, files, running, hangUps, log }, closing);
  return host;
}

/** Until it has decided twice more whether to reload. */
async function twoRounds(): Promise<void> {
  const before = reports;
  await vi.waitFor(() => expect(reports).toBeGreaterThanOrEqual(before + 2), WAIT);
}

test("a thousand signals while a reload runs are one reload more, and no work of their own", async () => {
  let open = () => {};
  const isHeld = new Promise<void>((held) => {
    opening = () =>
      new Promise<void>((resolve) => {
        open = resolve;
        held();
      });
  });
  const host = await start();
  const listeners = host.listenerCount("SIGHUP");
  host.emit("SIGHUP");
  await isHeld;
  opening = async () => {};
  await writeConfig(2);
  await writeRule(2);
  const before = reports;
  for (let n = 0; n < 1_000; n++) {
    host.emit("SIGHUP");
    // Every fourth one at the pace of the database, so that each could cause a report.
    if (n % 4 === 0) await stores.processes.requested();
  }
  expect(reports - before).toBeLessThan(25);
  open();
  await vi.waitFor(() => expect(taken).toHaveLength(2), WAIT);
  await twoRounds();
  expect(taken).toEqual([
    ["1", "1"],
    ["2", "2"],
  ]);
  expect(host.listenerCount("SIGHUP")).toBeLessThanOrEqual(listeners + 1);
});

test("signals between the files of a change never mix two versions, and the last one wins", async () => {
  const host = await start();
  for (let n = 2; n <= 6; n++) {
    host.emit("SIGHUP");
    await writeConfig(n);
    host.emit("SIGHUP");
    await writeRule(n);
    host.emit("SIGHUP");
    if (n % 2 === 0) await vi.waitFor(() => expect(taken.at(-1)).toEqual([`${n}`, `${n}`]), WAIT);
  }
  await vi.waitFor(() => expect(taken.at(-1)).toEqual(["6", "6"]), WAIT);
  expect(taken.filter(([config, rule]) => config !== rule)).toEqual([]);
});

test("a signal that arrives while the process looks at its files is not lost", async () => {
  const host = await start();
  const asked = await requestReload(stores, "the files of another machine");
  const [me] = await stores.processes.running();
  await vi.waitFor(async () => {
    const one = (await stores.processes.running()).find(({ id }) => id === me?.id);
    expect(one).toMatchObject({ answered: asked.id, refused: { filesAre: expect.anything() } });
  }, WAIT);
  await writeConfig(2);
  await writeRule(2);
  expect(await digestOfFiles(file, {})).not.toBeNull();
  onLook = () => {
    onLook = () => {};
    host.emit("SIGHUP");
  };
  await vi.waitFor(() => expect(taken).toEqual([["2", "2"]]), WAIT);
});
