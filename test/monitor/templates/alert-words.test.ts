import { expect, test } from "vitest";
import { localConfig } from "../../../src/lab/local/local-parts.ts";
import type { WindowCount } from "../../../src/monitor/model/alert.ts";
import { growthOf, leadOf, peakOf, reasonOf } from "../../../src/monitor/templates/alert-words.ts";
import { buildAlertView } from "../../../src/monitor/templates/build-alert-view.ts";
import { alertOf } from "../notify/alert-of.ts";
import { aMention } from "../rules/a-mention.ts";

const MONDAY = Date.parse("2026-02-23T08:35:00Z");
const MINUTE = 60_000;
const count = (n: number, at = MONDAY): WindowCount => ({
  count: n,
  windowMs: 5 * MINUTE,
  at,
  subject: "negative mentions",
});
const SPIKE = alertOf({
  because:
    "62 negative mentions in 30 min, 11 expected at this hour. Chance alone hardly ever brings so many.",
  windowFrom: MONDAY - 30 * MINUTE,
  windowTo: MONDAY,
  values: { count: 62, expected: 11 },
});

test("the numbers are said in words, by the reader's hour, before how sure they are", () => {
  expect(leadOf(SPIKE, "UTC")).toBe("Negative mentions are 6 times what is normal on a Monday morning.");
  const later = { ...SPIKE, because: "62 negative mentions in 30 min at the peak, 11 expected at this hour" };
  expect(leadOf(later, "UTC")).toBe(
    "At the peak, negative mentions were 6 times what is normal on a Monday morning.",
  );
  expect(leadOf(SPIKE, "America/Los_Angeles")).toContain("on a Monday night");
  expect(leadOf({ ...SPIKE, values: { count: 62, expected: 0.2 } }, "UTC")).toContain(
    "normally there are hardly any",
  );
  expect(leadOf({ ...SPIKE, values: { count: 62, expected: 60 } }, "UTC")).toBeNull();
  const one = { ...SPIKE, values: { count: 1, expected: 0.2 } };
  expect(
    leadOf({ ...one, because: "1 negative mention in 15 min, 0.2 expected at this hour" }, "UTC"),
  ).toContain("Negative mentions are rare");
  expect(leadOf({ ...one, because: "1 story of negative mentions in 15 min" }, "UTC")).toContain(
    "Stories of negative mentions are rare",
  );
  expect(reasonOf(SPIKE)).toEqual({
    label: "How sure",
    text: "Chance alone hardly ever brings so many.",
  });
  expect(reasonOf({ ...SPIKE, because: "20 mentions in 1 h (limit 10)" }).text).toBe("Rule: limit 10");
});

test("growth has the numbers of now and those of the first message", () => {
  const grown = {
    severity: "critical",
    progress: { first: count(52), renotified: count(161), peak: count(161) },
  } as const;
  const said = (kind: string, progress: object = {}) =>
    growthOf({ ...grown, progress: { ...grown.progress, ...progress } }, kind);
  expect(said("doubled")).toEqual({
    label: "Tripled",
    text: "161 negative in 5 min now, 52 when the alert fired",
  });
  expect(said("doubled", { renotified: count(110) })?.label).toBe("Doubled");
  expect(said("doubled", { renotified: count(70) })?.label).toBe("Growing");
  expect(said("escalated")?.label).toBe("Now CRITICAL");
  expect(said("wave", { renotified: count(90, MONDAY + MINUTE), peak: count(161) })?.text).toBe(
    "90 negative in 5 min now, 161 at the peak before",
  );
  expect(said("reminder")?.text).toBe("161 negative in 5 min now, 52 when the alert fired");
  expect(peakOf(grown)).toEqual({ count: "161 in 5 min", at: MONDAY });
});

test("an alert on mentions names the author, and who handled it", () => {
  const mention = {
    ...aMention(),
    authorName: "Helena Brandt",
    followers: 184_000,
    verified: true,
    sentiment: "negative",
  };
  const view = (mentions: number, handling = {}) =>
    buildAlertView({
      kind: "fired",
      alert: alertOf({ queryName: "Acme", mentions, handling }),
      mentions: [mention],
      rule: { name: "press", title: "The press is angry", description: null },
      project: "p",
      timezone: "UTC",
      consoleUrl: null,
      actions: [
        { label: "Acknowledge", url: "https://e.example/1" },
        { label: "Resolve", url: "https://e.example/2" },
      ],
    });
  expect(view(1).announcement).toEqual({
    query: null,
    text: "Helena Brandt (184k followers, verified) is negative about Acme",
  });
  expect(view(5).announcement).toEqual({
    query: "Acme",
    text: "Helena Brandt (184k followers, verified) and 4 more mentions",
  });
  expect(view(1)).toMatchObject({ title: "The press is angry", primaryActions: 1, handledBy: null });
  expect(view(1, { acknowledgedBy: "Ann" }).handledBy).toBe("Ann");
});

test("in the demo a crisis mutes what it brings along", async () => {
  const secrets = { password: "p".repeat(12), slackToken: "xoxb-1", signingSecret: "s" };
  const parts = {
    apiUrl: "http://127.0.0.1:1",
    slackApiUrl: "http://127.0.0.1:2/",
    smtp: { host: "127.0.0.1", port: 25 },
    secrets,
  };
  const { inhibitions } = await localConfig(parts as never, { rules: "rules", templates: "templates" });
  expect(inhibitions).toMatchObject([
    {
      while: { rule: ["crisis-spike"] },
      mute: { rule: ["volume-spike", "negative-share-surge", "influential-negative", "safety-category"] },
      equal: ["query"],
    },
  ]);
});

test("a message that is brought up to date says what is now, and no more that it grows when it has become less", () => {
  const progress = { first: count(25), renotified: count(133), now: count(122), peak: count(133) };
  expect(growthOf({ severity: "critical", progress }, "doubled")).toEqual({
    label: "Still going on",
    text: "122 negative in 5 min now, 25 when the alert fired",
  });
  expect(growthOf({ severity: "critical", progress: { ...progress, now: count(150) } }, "doubled")).toEqual({
    label: "6 times as many",
    text: "150 negative in 5 min now, 25 when the alert fired",
  });
});
