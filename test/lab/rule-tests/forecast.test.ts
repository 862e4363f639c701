import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { offlineConfig } from "../../../src/lab/local/local-parts.ts";
import type { ObservedMessage } from "../../../src/lab/rule-tests/observed.ts";
import { openRuleTestRunner, type RuleTestResult } from "../../../src/lab/rule-tests/rule-test-runner.ts";
import { MINUTE } from "../../../src/lib/instant.ts";
import { createLog } from "../../../src/lib/log.ts";
import type { RouteConfig } from "../../../src/monitor/notify/decide/route.ts";
import { loadRules } from "../../../src/monitor/rules/load-rules.ts";
import { openTemplates } from "../../../src/monitor/templates/open-templates.ts";

const ROOT = join(import.meta.dirname, "../../..");

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-forecast-"));
  await mkdir(join(folder, "rules"));
  for (const [name, rule] of Object.entries(RULES)) await writeFile(join(folder, "rules", name), rule);
});
afterAll(() => rm(folder, { recursive: true }));

/** One of each kind that time alone, a share, an author, a story or a new word can move. */
const RULES = {
  "words.yaml": `description: A word.
severity: { warning: always, critical: { mentions: 6 } }
when: { keyword: [refund] }
groupBy: [query, story]
over: { after: 45m }
`,
  "many.yaml": `description: Many at once.
severity: { warning: always, critical: { atLeast: 20, within: 30m } }
volume: { atLeast: 8, within: 15m }
for: 10m
over: { after: 20m }
`,
  "mood.yaml": `description: The mood turns.
severity: warning
share: { of: { sentiment: negative }, within: 1h, atLeast: 40%, aboveUsual: 10%, among: 10 }
over: { after: 1h }
`,
  "wave.yaml": `description: A wave.
severity: { warning: always, critical: { atLeast: 25, within: 30m } }
spike: { atLeast: 8 }
`,
  "nothing.yaml": `description: Nobody writes any more.
severity: info
absence: { within: 2h, expected: 10 }
`,
};

const step = fc.oneof(
  { weight: 5, arbitrary: mentions() },
  { weight: 1, arbitrary: fc.constant("reclassify: negative to neutral") },
  { weight: 1, arbitrary: fc.constant("silence: { rule: words, for: 1h }") },
);

function mentions() {
  return fc
    .record({
      count: fc.integer({ min: 1, max: 25 }),
      minutes: fc.integer({ min: 0, max: 50 }),
      sentiment: fc.constantFrom("negative", "neutral", "positive"),
      text: fc.constantFrom("", ", text: [a refund please, refund me]", ", text: the same again and again"),
      authors: fc.constantFrom("", ", authors: 2"),
      query: fc.constantFrom("Acme", "Beta"),
    })
    .map(
      ({ count, minutes, sentiment, text, authors, query }) =>
        `mentions: ${minutes === 0 ? count : `${count} within ${minutes}m`}, query: ${query}, sentiment: ${sentiment}${text}${authors}`,
    );
}

const QUIET = "usual: { mentions: 10 per hour, negative: 40%, days: 3, goesOn: false }\n";

const story = fc
  .record({
    steps: fc.array(fc.record({ minute: fc.integer({ min: 0, max: 240 }), step }), {
      minLength: 1,
      maxLength: 5,
    }),
    usual: fc.constantFrom("", "usual: { mentions: 6 per hour, days: 3 }\n", QUIET),
    reads: fc.constantFrom(
      "",
      '  - { by: "09:40", rule: any, slack: "*" }\n  - { by: "11:10", rule: any, slack: "*" }\n',
    ),
  })
  .map(({ steps, usual, reads }) => {
    const lines = steps.map(({ minute, step: what }) => `  - { at: "${clock(minute)}", ${what} }`);
    return `rule: words
start: 2026-03-02T08:00 Europe/Berlin
queries: [Acme, Beta]
${usual}story:
${lines.join("\n")}
until: "14:00"
expect:
  - { by: "13:00", rule: any, alert: any }
${reads}`;
  });

/** Its reminder is due after 20 minutes, and waits for the second mention. */
const LATE_REMINDER = `rule: words
start: 2026-03-02T08:00 Europe/Berlin
story:
  - { at: "09:00", mentions: 1, sentiment: negative, text: "I ask for the third time now: please refund the money that I paid for a kettle that never came" }
  - { at: "09:32", mentions: 1, sentiment: negative, text: "I ask for the third time now: please refund the money that I paid for a kettle that never came" }
expect:
  - { by: "10:30", alert: resolved, messages: { comms: 3 } }
`;

function clock(minute: number): string {
  const at = 8 * 60 + minute;
  return `${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`;
}

test("what people see is the same whether the clock stops everywhere or only where something happens", {
  timeout: 240_000,
}, async () => {
  const { rules, faults } = await loadRules(join(folder, "rules"));
  expect(faults).toEqual([]);
  const stories = [...fc.sample(story, { numRuns: 4, seed: 19 }), LATE_REMINDER];
  const files = stories.map((_, index) => join(folder, `${index}.test.yaml`));
  await Promise.all(stories.map((text, index) => writeFile(files[index] ?? "", text)));
  const warnings: string[] = [];
  const destination = new Writable({
    write: (line, _, done) => {
      warnings.push(String(line));
      done();
    },
  });
  const runner = await openRuleTestRunner(inject("postgresUrl"));
  onTestFinished(runner.close);
  const offline = await offlineConfig({ rules: join(folder, "rules"), templates: join(ROOT, "templates") });
  const config = { ...offline, routes: offline.routes.map(repeatingSoon) };
  const play = async (everyStop: boolean) =>
    runner.run(files, {
      config,
      rules,
      renderer: await openTemplates(join(ROOT, "templates")),
      update: false,
      everyStop,
      log: createLog({ level: "warn", destination }),
      signal: new AbortController().signal,
      onResult: () => {},
    });
  const [everywhere, forecast] = [await play(true), await play(false)];
  for (const [index, text] of stories.entries())
    expect(seenIn(forecast[index]), text).toEqual(seenIn(everywhere[index]));
  expect(forecast.at(-1)?.failures).toEqual([]);
  expect(everywhere.flatMap(({ run }) => run?.observed.messages ?? []).length).toBeGreaterThan(3);
  expect(warnings.filter((line) => line.includes("forecast"))).toEqual([]);
});

/** Reminders are due while alerts go on, and wait for new evidence. */
function repeatingSoon(route: RouteConfig): RouteConfig {
  return { ...route, repeatEveryMs: 20 * MINUTE, routes: route.routes.map(repeatingSoon) };
}

/** Without ids, which are new in each run; receivers are served side by side. */
function seenIn(result: RuleTestResult | undefined) {
  const { alerts, messages, history } = result?.run?.observed ?? { alerts: [], messages: [], history: [] };
  const plain = (value: unknown): string =>
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>")
      .replaceAll(/127\.0\.0\.1:\d+/g, "<host>");
  return {
    outcome: result?.outcome,
    failures: result?.failures,
    alerts: alerts.map(({ rule, query, seen }) => plain({ rule, query, seen })).sort(),
    messages: lastEdits(messages)
      .map(({ at, kind, receiver, isEdit, text }) => plain({ at, kind, receiver, isEdit, text }))
      .sort(),
    // That an alert grew and nobody is notified is noted at the next stop.
    history: history
      .filter(({ what }) => what !== "NothingNew")
      .map(({ at, what, detail }) => plain({ at, what, detail }))
      .sort(),
  };
}

/** A message that is edited twice at one stop is read after the last edit. */
function lastEdits(messages: readonly ObservedMessage[]): ObservedMessage[] {
  const edits = messages.filter(({ isEdit }) => isEdit);
  const last = new Map(
    edits.map((edit) => [JSON.stringify([edit.at, edit.receiver, edit.kind, edit.alertIds]), edit]),
  );
  return [...messages.filter(({ isEdit }) => !isEdit), ...last.values()];
}
