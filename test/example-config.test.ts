import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { loadConfig } from "../src/admin/config/config.ts";
import { unknownNamesIn } from "../src/admin/config/unknown-names-in.ts";
import { kinds } from "../src/feeds/kinds/all-kinds.ts";
import { ListenConfig } from "../src/feeds/run/listen-config.ts";
import { readFeeds } from "../src/feeds/run/read-feeds.ts";
import { type Issue, UserError } from "../src/lib/errors.ts";
import { notifiers } from "../src/monitor/notify/notifiers.ts";
import { loadRules } from "../src/monitor/rules/load-rules.ts";

const FILE = join(import.meta.dirname, "../earshot.example.yaml");
const text = readFileSync(FILE, "utf8");

/** Values of a form that the schema requires. Any other variable of the example is "a secret". */
const VALUES: Readonly<Record<string, string>> = {
  SLACK_BOT_TOKEN: "xoxb-a-token",
  SLACK_APP_TOKEN: "xapp-a-token",
  SLACK_SIGNING_SECRET: "a-signing-secret-of-slack",
  TICKET_WEBHOOK_URL: "https://tickets.example/hook",
  HEARTBEAT_URL: "https://heartbeat.example/a-key",
};
const ENVIRONMENT = Object.fromEntries(
  [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, VALUES[name] ?? "a secret"]),
);

/** A mistake in the example fails with every fault and its line. */
async function loadExample() {
  return loadConfig(FILE, ENVIRONMENT).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    throw new Error([error.message, ...error.details].join("\n"), { cause: error });
  });
}

test("the example is valid", async () => {
  const config = await loadExample();
  expect(config.routes.map((route) => route.name)).toEqual(["crisis", "press", "everything"]);
  expect(config.rules).toBe(join(import.meta.dirname, "../rules"));
});

test("every name in the example exists in it or in the shipped rules", async () => {
  const config = await loadExample();
  const { rules } = await loadRules(config.rules);
  expect(rules.length).toBeGreaterThan(3);
  expect(await unknownNamesIn(FILE, config, rules)).toEqual([]);
});

test("the example of public feeds, which stands in a comment, is valid and shows every key and kind", () => {
  const [commented = ""] = /^# listen:\n(?:#.*\n)+/m.exec(text) ?? [];
  const { listen } = parseDocument(commented.replaceAll(/^# ?/gm, "")).toJS();
  const issues: Issue[] = [];
  const feeds = readFeeds({ listen }, issues);
  expect(issues).toEqual([]);
  expect(feeds.map(({ kind }) => kind)).toEqual(kinds.map(({ kind }) => kind));
  expect(Object.keys(ListenConfig.parse(listen)).sort()).toEqual(Object.keys(ListenConfig.shape).sort());
});

test("the example shows every section, every kind of receiver and every key of the source", async () => {
  const config = await loadExample();
  const shown = parseDocument(text).toJS() as Record<string, unknown> & { source: object };
  // It stands in a comment, because most accounts are watched without it.
  const { listen, usesLocalInbox: _, sources, ...others } = config;
  const { name, ...account } = sources[0];
  expect(listen).toBeNull();
  expect(name).toBe("account");
  expect(Object.keys(shown).sort()).toEqual(["source", ...Object.keys(others)].sort());
  expect(Object.keys(shown.source).sort()).toEqual(Object.keys(account).sort());
  const kinds = config.receivers.map((receiver) => receiver.notifier.kind);
  expect(new Set(kinds), "Show a receiver of every kind in earshot.example.yaml.").toEqual(
    new Set(notifiers.map((notifier) => notifier.kind)),
  );
  expect(config.receivers.some((receiver) => receiver.quietHours.length > 0)).toBe(true);
  expect(config.receivers.some((receiver) => receiver.throttle !== null)).toBe(true);
});

test("every variable that the environment lacks is reported", async () => {
  const loading = loadConfig(FILE, {});
  await expect(loading).rejects.toMatchObject({
    details: expect.arrayContaining([expect.stringContaining("LISTENING_PASSWORD")]),
  });
  expect(Object.keys(VALUES).filter((name) => !(name in ENVIRONMENT))).toEqual([]);
});

test("an unknown key is reported", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-example-"));
  const file = join(folder, "earshot.yaml");
  await writeFile(file, text.replace("retention: 400d", "retentoin: 400d"));
  await expect(loadConfig(file, ENVIRONMENT)).rejects.toMatchObject({
    details: [expect.stringMatching(/retentoin.*retention/)],
  });
  await rm(folder, { recursive: true });
});
