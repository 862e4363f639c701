import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, expect, it } from "vitest";
import { showActing } from "../../src/cli/print.ts";
import { HOUR } from "../../src/lib/instant.ts";
import { ensurePartitions } from "../../src/store/partitions.ts";
import { runCommand } from "../cli/run-command.ts";
import { useStores } from "../use-stores.ts";
import { anAlert, pending, tellAStory } from "../web/make-a-story.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
/** Moves the cursor, colours, names the window, turns the direction: in C0, DEL, C1 and Unicode. */
const EVIL = "a\u001b[31mb\u009b2Jc\u009d0;title\u009cd\u007fe\u202ef\u2066g\u200fh\u2028i\u0008j\rk\ufeffl";
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const ROOT = join(import.meta.dirname, "../..");

const { url, database, stores } = await useStores({ onError: () => {} });
const alert = { ...anAlert({ openedAt: NOW - HOUR, fingerprint: "evil" }), queryName: EVIL, because: EVIL };

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  await tellAStory(stores, NOW);
  await stores.alerts.save([alert]);
  const notification = { ...pending(alert), receiver: EVIL };
  await stores.notifications.owe([notification]);
  const claimed = await stores.notifications.claim(alert.projectId, notification.id);
  if (claimed !== null) await stores.notifications.markFailed(claimed, EVIL, null);
});

const COMMANDS: readonly (readonly string[])[] = [
  ["alerts"],
  ["alerts", "--json"],
  ["alerts", "ack", alert.id, "--by", EVIL],
  ["alerts", "assign", alert.id, EVIL, "--by", "Bo"],
  ["alerts", "assign", alert.id, `${EVIL} too`, "--by", "Bo", "--json"],
  ["alerts", "resolve", alert.id, "--json"],
  ["alerts", "ack", EVIL],
  ["alerts", "precision", "--last", "1000d"],
  ["alerts", "precision", "--last", "1000d", "--json"],
  ["why", alert.id, "--rules", join(ROOT, "rules")],
  ["why", alert.id, "--json", "--rules", join(ROOT, "rules")],
  ["coverage", "--rules", join(ROOT, "rules")],
  ["coverage", "--json", "--rules", join(ROOT, "rules")],
  ["dead-letters", "list"],
  ["dead-letters", "list", "--json"],
  ["redeliver"],
  ["redeliver", "nobody"],
  ["silence", "list"],
  ["silence", "list", "--json"],
  ["local-api", "list", "clients", "--json"],
  ["send-test", EVIL, "--config", "none"],
  ["check", "--config", EVIL],
];

it.each(COMMANDS)(
  "earshot %s %s: what strangers wrote reaches no terminal as a command to it",
  async (...words) => {
    const ran = await runCommand(words, { DATABASE_URL: url, EARSHOT_HOME: ROOT });
    const said = ran.stdout + ran.stderr;
    expect(said).not.toBe("");
    expect(said).not.toMatch(ACTING);
  },
);

it("strangers' words are in what was looked at, as escapes in JSON that stays the same JSON", async () => {
  const { stdout } = await runCommand(["alerts", "--states", "all", "--json"], { DATABASE_URL: url });
  expect(stdout).toContain("\\u009b2J");
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ queryName: EVIL }));
  expect(showActing("a\tb\nc\u001b[31m")).toBe("a\tb\nc\\u001b[31m");
});

it("no command writes to the terminal but by the printer; progress lines are our own", async () => {
  const direct: string[] = [];
  const folder = join(ROOT, "src/cli");
  for (const file of await readdir(folder, { recursive: true })) {
    // The list of calls and its help are our own words.
    if (file === "print.ts" || file === "api.ts" || !file.endsWith(".ts")) continue;
    const text = await readFile(join(folder, file), "utf8");
    for (const [found] of text.matchAll(/console\.\w+\(|stdout\.write\([^)]*\)?/g))
      direct.push(`${file}: ${found}`);
  }
  expect(direct.sort()).toEqual([]);
});
