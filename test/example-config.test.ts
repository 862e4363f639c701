import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { unknownNamesIn } from "../src/config/unknown-names-in.ts";
import { loadConfig } from "../src/config.ts";
import { notifiers } from "../src/notify/notifiers.ts";
import { loadRules } from "../src/rules/load-rules.ts";

const FILE = join(import.meta.dirname, "../earshot.example.yaml");
const text = readFileSync(FILE, "utf8");

const ENVIRONMENT = {
  LISTENING_PASSWORD: "a secret",
  LISTENING_CLIENT_ID: "a-client",
  SLACK_BOT_TOKEN: "xoxb-a-token",
  SLACK_APP_TOKEN: "xapp-a-token",
  SLACK_SIGNING_SECRET: "a-signing-secret-of-slack",
  SMTP_PASSWORD: "a secret",
  TICKET_WEBHOOK_URL: "https://tickets.example/hook",
  TICKET_WEBHOOK_SECRET: "a secret",
  EARSHOT_PAGE_PASSWORD: "a long secret",
  HEARTBEAT_URL: "https://beats.example/a-key",
};

test("the example is sound", async () => {
  const config = await loadConfig(FILE, ENVIRONMENT);
  expect(config.routes.map((route) => route.name)).toEqual(["crisis", "press", "everything"]);
  expect(config.rules).toBe(join(import.meta.dirname, "../rules"));
});

test("nothing of the example is dead with the shipped rules", async () => {
  const config = await loadConfig(FILE, ENVIRONMENT);
  const { rules } = await loadRules(config.rules);
  expect(rules.length).toBeGreaterThan(3);
  expect(await unknownNamesIn(FILE, config, rules)).toEqual([]);
});

test("the example shows every section, every kind of receiver and every key of the source", async () => {
  const config = await loadConfig(FILE, ENVIRONMENT);
  const shown = parseDocument(text).toJS() as Record<string, unknown> & { source: object };
  expect(Object.keys(shown).sort()).toEqual(Object.keys(config).sort());
  expect(Object.keys(shown.source).sort()).toEqual(Object.keys(config.source).sort());
  const kinds = config.receivers.map((receiver) => receiver.notifier.kind);
  expect(new Set(kinds)).toEqual(new Set(notifiers.map((notifier) => notifier.kind)));
  expect(config.receivers.some((receiver) => receiver.quietHours.length > 0)).toBe(true);
  expect(config.receivers.some((receiver) => receiver.throttle !== null)).toBe(true);
});

test("a secret that the environment lacks is a fault of the example, each named", async () => {
  const loading = loadConfig(FILE, {});
  await expect(loading).rejects.toMatchObject({
    details: expect.arrayContaining([expect.stringContaining("LISTENING_PASSWORD")]),
  });
  for (const name of Object.keys(ENVIRONMENT)) expect(text).toContain(`\${${name}}`);
});

test("a key that nobody knows is a fault", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-example-"));
  const file = join(folder, "earshot.yaml");
  await writeFile(file, text.replace("retention: 400d", "retentoin: 400d"));
  await expect(loadConfig(file, ENVIRONMENT)).rejects.toMatchObject({
    details: [expect.stringMatching(/retentoin.*retention/)],
  });
  await rm(folder, { recursive: true });
});
