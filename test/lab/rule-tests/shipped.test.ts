import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { offlineConfig } from "../../../src/lab/local/local-parts.ts";
import { reportLines } from "../../../src/lab/rule-tests/report.ts";
import { findRuleTests, openRuleTestRunner } from "../../../src/lab/rule-tests/rule-test-runner.ts";
import { readRuleTest } from "../../../src/lab/rule-tests/test-file.ts";
import { createLog } from "../../../src/lib/log.ts";
import { loadRules } from "../../../src/monitor/rules/load-rules.ts";
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

test("the tests of the shipped rules pass", { timeout: 240_000 }, async () => {
  const { rules } = await loadRules(RULES);
  const config = await offlineConfig({ rules: RULES, templates: join(ROOT, "templates") });
  const runner = await openRuleTestRunner(inject("postgresUrl"));
  onTestFinished(runner.close);
  const results = await runner.run(await findRuleTests(RULES), {
    config,
    rules,
    renderer: await openTemplates(join(ROOT, "templates")),
    update: false,
    log: createLog({ level: "silent" }),
    signal: new AbortController().signal,
    onResult: () => {},
  });
  const wrong = results.filter(({ outcome }) => outcome !== "Passed");
  expect(wrong.flatMap(reportLines).join("\n")).toBe("");
  expect(results.length).toBeGreaterThanOrEqual(3 * rules.length);
});
