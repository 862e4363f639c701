import { expect, test } from "vitest";
import { digestBlocks } from "../../../../../src/monitor/notify/notifiers/slack/compose-slack.ts";
import { createRenderer } from "../../../../../src/monitor/templates/create-renderer.ts";
import { sampleDigestViews } from "../../../../../src/monitor/templates/sample-digest-views.ts";

const renderer = await createRenderer({ folder: "templates" });
const [sample] = sampleDigestViews;
if (sample === undefined) throw new Error("no sample");
const [row] = sample.perQuery;
const [alert] = sample.alerts;
if (row === undefined || alert === undefined) throw new Error("the sample is empty");

const textsOf = (view: typeof sample) =>
  digestBlocks(view, renderer).map((block) =>
    "text" in block ? String(block.text?.text) : JSON.stringify(block),
  );

test("entries that do not fit into a section of Slack are counted, and nothing after them is lost", () => {
  const long = "a name as long as somebody wants it to be ".repeat(5);
  const view = {
    ...sample,
    perQuery: Array.from({ length: 20 }, (_, n) => ({ ...row, query: `${n} ${long}`, mentions: 10 })),
    alerts: Array.from({ length: 10 }, () => ({ ...alert, because: long.repeat(3) })),
    alertCount: 400,
    more: {
      alerts: 390,
      common: [{ count: 388, rule: "negative", title: "Bad mood", query: "Acme" }],
      queries: 130,
      mentions: 900,
    },
  };
  const texts = textsOf(view);
  const summary = texts.find((text) => text.includes("•")) ?? "";
  const listed = summary.match(/•/g)?.length ?? 0;
  expect(listed).toBeGreaterThan(3);
  expect(summary).toContain(
    `… and ${150 - listed} queries more with ${900 + (20 - listed) * 10 >= 1_000 ? "1," : ""}`,
  );
  // Authors and hashtags come after the queries.
  expect(summary).toContain("*Top authors:*");
  const alerts = texts.find((text) => text.startsWith("*Alerts*")) ?? "";
  const shown = alerts.match(/· critical ·|, critical ·|, warning ·/g)?.length ?? 0;
  expect(alerts).toContain(`… and ${400 - shown} more, 388 of them “Bad mood” on Acme`);
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(3_000);
});

test("a message that is too long for Slack says that it is incomplete", () => {
  const [mention] = sample.topMentions;
  if (mention === undefined) throw new Error("no mention");
  const view = {
    ...sample,
    topMentions: Array.from({ length: 5 }, () => ({ ...mention, text: "long ".repeat(700) })),
  };
  expect(textsOf(view).at(-1)).toContain("Not all of this digest has room");
  expect(textsOf(sample).at(-1)).not.toContain("Not all of this digest");
});
