import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { joinProcesses } from "../../../src/admin/reload/join-processes.ts";
import { digestOfFiles, loadFiles } from "../../../src/admin/reload/load-files.ts";
import { followReloads } from "../../../src/admin/reload/reload.ts";
import { requestReload } from "../../../src/admin/reload/request-reload.ts";
import { type Closing, createClosing } from "../../../src/lib/closing.ts";
import { createLog } from "../../../src/lib/log.ts";
import { answerOf, compareVersions, type ReloadRequest } from "../../../src/monitor/model/process.ts";
import { useStores } from "../../use-stores.ts";

const { stores } = await useStores();
const { processes } = stores;
const log = createLog({ level: "silent" });
const rule = (version: number) =>
  `description: Version ${version}.\nseverity: warning\nwhen: { keyword: a }\n`;
const config = (name: string) => `
source: { baseUrl: "http://127.0.0.1:9", username: a, password: b, clientId: c }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [${name}] }]
`;
const WAIT = { timeout: 20_000, interval: 50 };
let folder: string;
let file: string;
let closing: Closing;
/** The descriptions of the rules that each process loaded, in order. */
let taken: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-reload-"));
  file = join(folder, "earshot.yaml");
  closing = createClosing();
  taken = [];
  await mkdir(join(folder, "rules"));
  await write("earshot.yaml", config("hook"));
  await write("rules/a-rule.yaml", rule(1));
});
afterEach(async () => {
  await closing.close();
  await rm(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const load = () => loadFiles(file, {}, { triesTemplates: true });
const ask = async () => requestReload(stores, (await digestOfFiles(file, {})) ?? "files with a fault");
const answers = async (request: ReloadRequest) =>
  (await processes.running()).map((one) => answerOf(one, request));

/** A process with these files, which goes on from here: `follow` makes it look for reloads. */
async function start(files: Awaited<ReturnType<typeof load>>) {
  const joined = joinProcesses(["tick"], files, log);
  await joined.join(stores);
  const prepare = async ({ rules }: typeof files) => ({
    take: () => void taken.push(rules[0]?.description ?? ""),
    drop: async () => {},
  });
  const hangUps = { count: () => 0, next: () => new Promise(() => {}) };
  const parts = { file, env: {}, joined, files, running: { stores, prepare }, hangUps, log };
  return { follow: (until = closing) => followReloads(parts, until) };
}

test("a process is known to the others before it works, and asks for no reload of its own", async () => {
  const { follow } = await start(await load());
  expect(await processes.running()).toMatchObject([{ roles: ["tick"], answered: null, refused: null }]);
  await follow();
  expect(await processes.running()).toHaveLength(1);
  expect(await processes.requested()).toBeNull();
});

test("one that starts while a reload goes on loads the files that it did not read", async () => {
  const files = await load();
  await write("rules/a-rule.yaml", rule(2));
  const request = await ask();
  await (await start(files)).follow();
  await vi.waitFor(async () => expect(await answers(request)).toEqual(["took-up"]), WAIT);
  // The others know of the version a moment before it is loaded, and the request was answered at the start.
  await vi.waitFor(() => expect(taken).toEqual(["Version 2."]), WAIT);
});

test("a restart of all with newer files ends a request of before: it is refused only until then", async () => {
  const request = await ask();
  const before = createClosing();
  await (await start(await load())).follow(before);
  await write("rules/a-rule.yaml", rule(2));
  await (await start(await load())).follow();
  await vi.waitFor(async () => expect((await answers(request)).sort()).toEqual(["refused", "took-up"]), WAIT);
  await before.close();
  await (await start(await load())).follow();
  const states = async () => (await processes.running()).map(({ refused }) => refused);
  await vi.waitFor(async () => expect(await states()).toEqual([null, null]), WAIT);
  expect(compareVersions(await processes.running(), request).asked).not.toBe(request.version);
});

test("of two requests at once, all processes end with the files as they are", async () => {
  const first = await start(await load());
  const second = await start(await load());
  await Promise.all([first.follow(), second.follow()]);
  await write("rules/a-rule.yaml", rule(2));
  await ask();
  await write("rules/a-rule.yaml", rule(3));
  const [last, same] = [await ask(), await ask()];
  expect(same.version).toBe(last.version);
  await vi.waitFor(async () => expect(await answers(same)).toEqual(["took-up", "took-up"]), WAIT);
  expect(new Set(taken)).toEqual(new Set(["Version 3."]));
});

test("a process loads only the files that were asked for, and not others that it has", async () => {
  await (await start(await load())).follow();
  const [before] = await processes.running();
  await write("rules/a-rule.yaml", rule(2));
  const request = await requestReload(stores, "the files of another machine");
  await vi.waitFor(async () => expect(await answers(request)).toEqual(["refused"]), WAIT);
  expect(taken).toEqual([]);
  expect((await processes.running())[0]?.version).toBe(before?.version);
  const mine = await ask();
  await vi.waitFor(async () => expect(await answers(mine)).toEqual(["took-up"]), WAIT);
  expect(taken).toEqual(["Version 2."]);
});

test("a bad file among good ones is refused whole, with all faults; then the same files are loaded again", async () => {
  await (await start(await load())).follow();
  const [before] = await processes.running();
  await write("rules/a-rule.yaml", rule(2));
  await write("rules/b-rule.yaml", `${rule(2)}sevrity: no\n`);
  await write("earshot.yaml", config("nobody"));
  const refused = await ask();
  await vi.waitFor(async () => expect(await answers(refused)).toEqual(["refused"]), WAIT);
  const [after] = await processes.running();
  expect(after?.version).toBe(before?.version);
  expect(after?.refused?.faults).toEqual([
    expect.stringContaining("nobody"),
    expect.stringMatching(/b-rule\.yaml:4:1 .*"sevrity"/),
  ]);
  expect(taken).toEqual([]);
  await rm(join(folder, "rules", "b-rule.yaml"));
  await write("rules/a-rule.yaml", rule(1));
  await write("earshot.yaml", config("hook"));
  for (const times of [1, 2]) {
    const again = await ask();
    expect(again.version).toBe(before?.version);
    await vi.waitFor(async () => expect(await answers(again)).toEqual(["took-up"]), WAIT);
    expect(taken).toHaveLength(times);
  }
});
