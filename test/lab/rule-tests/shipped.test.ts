import { basename, join } from "node:path";
import { afterAll, describe, expect, inject, test } from "vitest";
import { offlineConfig } from "../../../src/lab/local/local-parts.ts";
import { reportLines } from "../../../src/lab/rule-tests/report.ts";
import { findRuleTests, openRuleTestRunner } from "../../../src/lab/rule-tests/rule-test-runner.ts";
import { readRuleTest } from "../../../src/lab/rule-tests/test-file.ts";
import { createLog } from "../../../src/lib/log.ts";
import { loadRules } from "../../../src/monitor/rules/load-rules.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { openTemplates } from "../../../src/monitor/templates/open-templates.ts";

const ROOT = join(import.meta.dirname, "../../..");
const RULES = join(ROOT, "rules");

test("every shipped rule has a test that must notify, one that must not, and one at the edge", async () => {
  const { rules } = await loadRules(RULES);
  const tests = await Promise.all((await findRuleTests(RULES)).map(readRuleTest));
  for (const rule of rules) {
    const its = tests.flatMap((one) => ("test" in one && one.test.rule === rule.name ? [one.test] : []));
    // By a message of its own, or inside the message of the incident that it joins.
    const notifies = its.filter(({ expect: all }) =>
      all.some(
        (one) => "by" in one && (one.to !== undefined || one.slack !== undefined) && one.rule === undefined,
      ),
    );
    const isQuiet = its.filter(({ expect: all }) =>
      all.every((one) => "never" in one || one.alert === undefined || one.rule !== undefined),
    );
    expect(notifies.length, `${rule.name} notifies`).toBeGreaterThan(0);
    expect(isQuiet.length, `${rule.name} is quiet`).toBeGreaterThan(0);
    expect(its.filter(({ file }) => file.endsWith("-edge.test.yaml")).length, `${rule.name}, edge`).toBe(1);
  }
});

describe("the tests of a shipped rule pass", async () => {
  const { rules } = await loadRules(RULES);
  const config = await offlineConfig({ rules: RULES, templates: join(ROOT, "templates") });
  const renderer = await openTemplates(join(ROOT, "templates"));
  const runner = await openRuleTestRunner(inject("postgresUrl"));
  afterAll(runner.close);
  const files = await findRuleTests(RULES);

  test.each(files.map((file) => basename(file)))("%s", { timeout: 120_000 }, async (name) => {
    const own = files.filter((file) => basename(file) === name);
    const results = await runner.run(own, {
      ...{ config, rules, renderer, update: false },
      log: createLog({ level: "silent" }),
      signal: new AbortController().signal,
      onResult: () => {},
    });
    const wrong = results.filter(({ outcome }) => outcome !== "Passed");
    expect(wrong.flatMap(reportLines).join("\n")).toBe("");
    expect(results.length).toBe(1);
  });

  test("each test is of one of them, and each of them has three", () => {
    const owners = files.map((file) => ownerOf(file, rules));
    expect(owners).not.toContain(undefined);
    for (const { name } of rules)
      expect([name, owners.filter((owner) => owner === name).length >= 3]).toEqual([name, true]);
  });
});

/** The rule that the name of a test's file begins with. */
function ownerOf(file: string, rules: readonly Rule[]): string | undefined {
  return rules.find(({ name }) => basename(file).startsWith(name))?.name;
}
