import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE, toIso } from "../../src/lib/instant.ts";
import { runCommand } from "./run-command.ts";
// Loaded before the tests: it is half of Earshot, for which a busy machine needs longer than a test may take.
import "../../src/cli/backtest/format-backtest.ts";
import "../../src/cli/suggest.ts";
import "../../src/lab/local/local-parts.ts";

const FROM = Date.parse("2026-03-02T08:00:00Z");
let folder: string;
let file: string;
let rules: string;
const backtest = (...words: string[]) => runCommand(["backtest", "--file", file, ...words]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-backtest-cli-"));
  file = join(folder, "mentions.jsonl");
  rules = join(folder, "rules");
  await cp(new URL("../fixtures/replay-rules", import.meta.url).pathname, rules, { recursive: true });
  const lines = Array.from({ length: 60 }, (_, index) => {
    const date = toIso(FROM + index * MINUTE).replace("Z", "+0000");
    const text = index === 5 ? "Is there a recall?" : `Angry ${index}`;
    return JSON.stringify({ id: `m${index}`, brand: "Acme", author: "a", text, date, sentiment: "negative" });
  });
  await writeFile(file, `${lines.join("\n")}\nnot json\n`);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("shows alerts and messages by day, rule and receiver", async () => {
  const { stdout, stderr, exitCode } = await backtest("--rules", rules);
  expect([exitCode, stderr]).toEqual([0, `${file}:61 is left out: is not JSON\n`]);
  expect(stdout).toContain("60 mentions, 2026-03-02 08:00 UTC to 2026-03-02 08:59 UTC");
  expect(stdout).toContain("3 alerts");
  expect(stdout).toMatch(/2026-03-02\s+busy-half-hour\s+1/);
  expect(stdout).toMatch(/crisis\s+\d/);
});

test("shows what a changed number changes, as JSON and as a page", async () => {
  const changed = join(folder, "changed");
  await mkdir(changed);
  const text = await readFile(join(rules, "busy-half-hour.yaml"), "utf8");
  await writeFile(join(changed, "busy-half-hour.yaml"), text.replace("atLeast: 12", "atLeast: 25"));
  const html = join(folder, "report.html");
  const rule = join(changed, "busy-half-hour.yaml");
  const { stdout } = await backtest("--rule", rule, "--against", rules, "--html", html, "--json");
  const { alerts, comparison } = JSON.parse(stdout);
  expect(alerts.map((alert: { rule: string }) => alert.rule)).toEqual(["busy-half-hour"]);
  expect(comparison.differences).toMatchObject([{ kinds: ["later"], rule: "busy-half-hour" }]);
  expect(comparison.differences[0].reason).toContain("volume.atLeast: 12 → 25; 10m later");
  const page = await readFile(html, "utf8");
  expect(page).toContain('<svg class="chart"');
  expect(page).toContain("volume.atLeast: 12 → 25");
});

test("says what is wrong with its options", async () => {
  const refused = async (...words: string[]) => {
    const { exitCode, stderr } = await runCommand(["backtest", ...words]);
    expect(exitCode).toBe(2);
    return stderr;
  };
  expect(await refused("--file", file, "--from-api")).toContain("take one");
  expect(await refused("--file", file, "--last", "soon")).toContain("expected a duration");
  expect(await refused("--file", file, "--rules", join(folder, "none"))).toContain("there is no such file");
  expect(await refused("--from-api", "--rules", rules)).toContain("--from-api needs the account");
  await writeFile(join(folder, "bad.yaml"), "severity: warning\nvolume: { atLeast: many }\n");
  expect(await refused("--file", file, "--rule", join(folder, "bad.yaml"))).toContain("bad.yaml has");
});

test("suggests thresholds with what it saw, and warns that it is little", async () => {
  const words = ["suggest", "busy-half-hour", "--rules", rules, "--file", file];
  const { stdout, exitCode } = await runCommand(words);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("busy-half-hour, volume.atLeast: now 12");
  expect(stdout).toMatch(/\d+ values tried on 60 mentions of 1 query/);
  expect(stdout).toMatch(/›\s+12 .*█/);
  expect(stdout).toContain("Careful: ");
  const { thresholds } = JSON.parse((await runCommand([...words, "--json"])).stdout);
  expect(thresholds[0]).toMatchObject({ threshold: "volume.atLeast", current: 12 });
  expect(thresholds[0].points.length).toBe(thresholds[0].tried);
  const wrong = await runCommand(["suggest", "busy-half-hours", "--rules", rules, "--file", file]);
  expect(wrong.stderr).toContain('did you mean "busy-half-hour"');
  const none = await runCommand(["suggest", "recall-words", "--rules", rules, "--file", file]);
  expect(none.stderr).toContain("no threshold to try");
});
