import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createProgram } from "../../src/cli/create-program.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-check-"));
  await mkdir(join(folder, "rules"));
  await writeFile(
    join(folder, "rules/angry-press.yaml"),
    "description: The press is angry.\nseverity: warning\nwhen: { sentiment: negative }\ngroupBy: story\nlabels: { team: press }\n",
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** The faults that `earshot check` reports for a configuration with these lines, without the file name. */
async function faultsOf(...lines: string[]): Promise<readonly string[]> {
  const file = join(folder, "earshot.yaml");
  await writeFile(
    file,
    [
      "source: { baseUrl: https://listening.example, username: a, password: b, clientId: c }",
      "receivers: [{ name: desk, kind: webhook, url: https://desk.example/hook }]",
      ...lines,
    ].join("\n"),
  );
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const words = ["check", "--config", file];
  try {
    await (await createProgram({}, words)).parseAsync(["node", "earshot", ...words]);
    return [];
  } catch (error) {
    return (error as { details: string[] }).details.map((line) => line.replace(`${file}:`, ""));
  } finally {
    log.mockRestore();
  }
}

test("a label or rule that no alert can have is a fault at its line, in every matcher", async () => {
  const faults = await faultsOf(
    "routes:",
    "  - match: { labels: { taem: press } }",
    "    receivers: [desk]",
    "    groupBy: [rul, story]",
    "  - match: { not: { rule: [angry-pres, source-lag] } }",
    "    receivers: [desk]",
    "    routes: [{ groupBy: [autor] }]",
    "inhibitions:",
    "  - { while: { rule: angry-press }, mute: { labels: { severity: info } }, equal: [contry] }",
    "escalations:",
    "  - { name: e, match: { rule: nothing-like-it }, steps: [{ after: 1m, receivers: [desk] }] }",
  );
  expect(faults).toEqual([
    `4:24 no rule gives a label "taem" — did you mean "team"?`,
    `6:15 no rule gives a label "rul" — did you mean "rule"?`,
    `7:28 there is no rule "angry-pres" — did you mean "angry-press"?`,
    `9:26 no rule gives a label "autor" — did you mean "author"?`,
    `11:55 "severity" is no label: write it next to "labels", not inside`,
    `11:83 no rule gives a label "contry" — did you mean "country"?`,
    expect.stringMatching(/^13:31 there is no rule "nothing-like-it" \(there are angry-press, /),
  ]);
});

test("labels of rules, their group keys, those of Earshot's own alerts, and patterns are known", async () => {
  expect(
    await faultsOf(
      "routes:",
      "  - match: { rule: [legal-*, receiver-fails], labels: { team: press, receiver: desk } }",
      "    receivers: [desk]",
      "    groupBy: [rule, query, severity, story, category, team]",
      "  - receivers: [desk]",
    ),
  ).toEqual([]);
});

test("a misspelt group key of a rule is a fault, with what was meant", async () => {
  const file = join(folder, "rules/by-auther.yaml");
  await writeFile(file, "description: x\nseverity: info\nwhen: { sentiment: negative }\ngroupBy: [auther]\n");
  const faults = await faultsOf("routes: [{ receivers: [desk] }]");
  await rm(file);
  expect(faults).toEqual([expect.stringMatching(/by-auther\.yaml:4:11 .*did you mean "author"\?$/)]);
});
