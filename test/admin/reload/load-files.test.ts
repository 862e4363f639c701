import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { digestOfFiles, loadFiles, type ReadingPace } from "../../../src/admin/reload/load-files.ts";
import { createManualClock } from "../../../src/lib/clock.ts";
import { UserError } from "../../../src/lib/errors.ts";

const CONFIG = `
source: { baseUrl: "http://127.0.0.1:9", username: a, password: "\${PASSWORD}", clientId: c }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
`;
const RULE = "description: Somebody is unhappy.\nseverity: warning\nwhen: { sentiment: negative }\n";
const TEMPLATE = "slack/alert-fallback.mrkdwn.hbs";
const ENV = { PASSWORD: "secret" };
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-load-"));
  file = join(folder, "earshot.yaml");
  await mkdir(join(folder, "rules"));
  await mkdir(join(folder, "templates", "slack"), { recursive: true });
  await write("earshot.yaml", CONFIG);
  await write("rules/unhappy.yaml", RULE);
  await write(`templates/${TEMPLATE}`, "{{headline}}");
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const load = (triesTemplates = true) => loadFiles(file, ENV, { triesTemplates });

async function faultsNow(): Promise<readonly string[]> {
  return load().then(
    () => [],
    (error: unknown) =>
      error instanceof UserError ? [error.message, ...error.details] : Promise.reject(error),
  );
}

test("all faults of all files are found at once", async () => {
  await write("earshot.yaml", `${CONFIG}rooutes: []\n`);
  await write("rules/unhappy.yaml", `${RULE}sevrity: no\n`);
  await write(`templates/${TEMPLATE}`, "{{healdine}}");
  const [message, ...faults] = await faultsNow();
  expect(message).toMatch(/earshot\.yaml, its rules and its templates have 3 faults/);
  expect(faults).toEqual([
    expect.stringMatching(/earshot\.yaml:5:1 .*"rooutes"/),
    expect.stringMatching(/rules\/unhappy\.yaml:4:1 .*"sevrity"/),
    expect.stringMatching(/alert-fallback\.mrkdwn\.hbs.*healdine/),
  ]);
});

test("files that are gone are faults", async () => {
  await rm(join(folder, "rules"), { recursive: true });
  expect(await faultsNow()).toEqual([
    expect.stringMatching(/folder of rules .* cannot be read/),
    expect.any(String),
  ]);
  await rm(file);
  expect((await faultsNow())[0]).toMatch(/earshot\.yaml cannot be read: there is no such file/);
});

test("the digest is that of the contents: the same elsewhere, another with any change", async () => {
  const { digest } = await load(false);
  expect(await digestOfFiles(file, ENV)).toBe(digest);
  expect(await digestOfFiles(file, { PASSWORD: "another" })).toBe(digest);
  const moved = `${folder}-elsewhere`;
  await rename(folder, moved);
  expect(await digestOfFiles(join(moved, "earshot.yaml"), ENV)).toBe(digest);
  await rename(moved, folder);
  const seen = new Set([digest]);
  for (const name of ["earshot.yaml", "rules/unhappy.yaml", `templates/${TEMPLATE}`]) {
    await appendFile(join(folder, name), "\n");
    seen.add((await digestOfFiles(file, ENV)) ?? "");
  }
  expect(seen.size).toBe(4);
});

test("files that are written while they are read are never loaded half", async () => {
  const versions = (n: number) => [
    write("earshot.yaml", `${CONFIG}timezone: Etc/GMT+${n}\n`),
    write("rules/unhappy.yaml", RULE.replace("unhappy", `unhappy ${n}`)),
  ];
  await Promise.all(versions(1));
  const loading = loadFiles(file, ENV, { triesTemplates: false });
  // The new earshot.yaml at once, and the new rule after it: in between, the folder is a mixture.
  for (const n of [2, 3, 4]) for (const written of versions(n)) await written;
  const { config, rules } = await loading;
  expect(/\d/.exec(config.timezone)?.[0]).toBe(/unhappy (\d)/.exec(rules[0]?.description ?? "")?.[1]);
});

/** Between two looks at the files, `between` is called in place of a pause; only pauses take time. */
function paceOf(between: (pauses: number) => Promise<unknown>): ReadingPace & { pauses(): number } {
  let [pauses, at] = [0, 0];
  const pause = (ms: number) => {
    at += ms;
    return between(++pauses);
  };
  return { elapsedMs: () => at, clock: createManualClock(0), pause, pauses: () => pauses };
}

test.each([
  ["earshot.yaml", CONFIG],
  ["rules/unhappy.yaml", RULE],
  [`templates/${TEMPLATE}`, "{{headline}}"],
])("%s, emptied and filled only after some looks at it, is loaded whole", async (name, text) => {
  await write(name, "");
  const pace = paceOf(async (pauses) => pauses === 5 && write(name, text));
  const whole = await loadFiles(file, ENV, { triesTemplates: false }, pace);
  expect(whole.config.receivers).toHaveLength(1);
  expect(whole.rules).toHaveLength(1);
  expect(whole.digest).toBe((await load(false)).digest);
  expect(pace.pauses()).toBeGreaterThan(5);
});

test("a file that is taken away and put there again, and a secret that is read from one, are waited for", async () => {
  const named = CONFIG.replace(/password: [^,]+/, "password_file: secret");
  await rm(file);
  const pace = paceOf(async (pauses) => {
    if (pauses === 3) await write("earshot.yaml", named);
    if (pauses === 6) await write("secret", "word");
  });
  const { config } = await loadFiles(file, {}, { triesTemplates: false }, pace);
  expect(config.sources[0]).toMatchObject({ password: "word" });
});

test("of two files that belong together, the first is never loaded without the second", async () => {
  await write("earshot.yaml", `${CONFIG}timezone: Etc/GMT+2\n`);
  const pace = paceOf(
    async (pauses) => pauses === 2 && write("rules/unhappy.yaml", RULE.replace("unhappy", "unhappy 2")),
  );
  const { rules } = await loadFiles(file, ENV, { triesTemplates: false }, pace);
  expect(rules[0]?.description).toBe("Somebody is unhappy 2.");
});

test("files with a fault that stay as they are are refused, with their faults, after about a second", async () => {
  await write("earshot.yaml", "");
  const pace = paceOf(async () => {});
  await expect(loadFiles(file, ENV, { triesTemplates: false }, pace)).rejects.toThrow(/earshot\.yaml has/);
  expect(pace.pauses()).toBe(10);
});

test("files that change all the time are refused after some seconds", async () => {
  await write("earshot.yaml", "");
  const pace = paceOf((pauses) => write("rules/unhappy.yaml", RULE.replace("unhappy", `unhappy ${pauses}`)));
  await expect(loadFiles(file, ENV, { triesTemplates: false }, pace)).rejects.toThrow(UserError);
  expect(pace.pauses()).toBe(50);
});
