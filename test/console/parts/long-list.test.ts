import { expect, test } from "vitest";
import { html } from "../../../src/console/common/html.ts";
import { operatorPanels } from "../../../src/console/parts/operator-panels.ts";
import type { Coverage } from "../../../src/console/parts/verdict.ts";
import { DAY } from "../../../src/lib/instant.ts";
import type { ShownPoll } from "../../../src/monitor/model/shown.ts";

const NOW = 100 * DAY;
const POLL: ShownPoll = {
  ...{ projectId: "7", projectName: "Brands", queryId: "1", queryName: "Acme", active: true, poll: "added" },
  ...{ polledAt: NOW, nextPollAt: NOW, completeUntil: NOW, watchFrom: null, tickedUntil: NOW, failures: 0 },
  ...{ lastError: null, polls: 1, seen: 5, stored: 5, rejected: 0, gap: 0, gapFrom: null },
  ...{ gapNoticedAt: null, gapNextAt: null },
};

test.each([
  [1_000, null],
  [3_500, "and 2,500 more: <code>earshot coverage</code> names them all."],
])("of %i queries a page shows a thousand, and says how many more there are", (queries, more) => {
  const coverage: Coverage = {
    ...{ now: NOW, polls: Array.from({ length: queries }, () => POLL), deadLetters: [], budgets: [] },
    ...{ outages: [], quirks: [], warmingUp: [], waits: [], heartbeat: null },
    configuration: { asked: "1", processes: [] },
  };
  const page = `${operatorPanels(coverage, () => html`12:00`)}`;
  expect(page.match(/<th scope="row">/g)).toHaveLength(1_000);
  expect(page.match(/and [\d,]+ more.*?all\./)?.[0] ?? null).toBe(more);
});
