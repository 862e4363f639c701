import { expect, test } from "vitest";
import { faultOfMessage } from "../../../../../src/console/inbox/slack-limits.ts";
import { digestBlocks } from "../../../../../src/monitor/notify/notifiers/slack/compose-slack.ts";
import { createRenderer } from "../../../../../src/monitor/templates/create-renderer.ts";
import { NO_MORE } from "../../../../../src/monitor/templates/digest-view.ts";
import { sampleDigestViews } from "../../../../../src/monitor/templates/sample-digest-views.ts";

const renderer = await createRenderer({ folder: "templates" });
const [full] = sampleDigestViews;

/** The alerts section of a digest with so many alerts. */
function alertsOf(count: number): string {
  const [one] = full.alerts;
  const alerts = Array.from({ length: count }, (_, i) => ({ ...one, title: `Rule ${i + 1}.` }) as typeof one);
  const view = {
    ...full,
    alerts: alerts.filter((alert) => alert !== undefined),
    alertCount: count,
    more: NO_MORE,
  };
  const blocks = digestBlocks(view, renderer);
  expect(faultOfMessage("x", blocks)).toBeNull();
  const section = blocks.find((block) => block.type === "section" && block.text.text.startsWith("*Alerts*"));
  return section?.type === "section" ? section.text.text : "";
}

test.each([1, 5, 12, 40, 500])(
  "of %i alerts a digest lists those that fit, and the number of the others",
  (count) => {
    const text = alertsOf(count);
    const listed = text.split("… and ")[0]?.match(/Rule \d+\./g)?.length ?? 0;
    const more = Number(/… and (\d+) more/.exec(text)?.[1] ?? 0);
    expect(listed).toBeGreaterThan(0);
    expect(listed + more).toBe(count);
    expect(text.length).toBeLessThanOrEqual(3_000);
  },
);

test("incidents that do not fit into a section of Slack are said to be missing", () => {
  const [one] = full.incidents;
  if (one === undefined) throw new Error("the sample has an incident");
  const blocks = digestBlocks({ ...full, incidents: Array.from({ length: 60 }, () => one) }, renderer);
  expect(faultOfMessage("x", blocks)).toBeNull();
  expect(JSON.stringify(blocks)).toContain("Not all of this digest has room");
  expect(JSON.stringify(digestBlocks(full, renderer))).not.toContain("Not all of this digest has room");
});
