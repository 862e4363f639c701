import { expect, test } from "vitest";
import { fitsPattern, judgeExpectation } from "../../../src/lab/rule-tests/judge-expectation.ts";
import type { Observations, ObservedAlert, ObservedMessage } from "../../../src/lab/rule-tests/observed.ts";
import type { Expectation } from "../../../src/lab/rule-tests/test-file.ts";
import { MINUTE } from "../../../src/lib/instant.ts";

const START = Date.parse("2026-03-02T09:00:00Z");
const at = (text: string): number => Date.parse(`2026-03-02T${text}:00Z`);
const show = (moment: number): string => new Date(moment).toISOString().slice(11, 16);

const ALERT: ObservedAlert = {
  id: "a",
  rule: "storm",
  query: "Acme",
  seen: [
    { at: at("09:05"), state: "pending", severity: "warning" },
    { at: at("09:10"), state: "firing", severity: "warning" },
    { at: at("09:20"), state: "firing", severity: "critical" },
    { at: at("11:00"), state: "resolved", severity: "critical" },
  ],
};

const message = (
  time: string,
  receiver: string,
  text: string,
  more: Partial<ObservedMessage> = {},
): ObservedMessage => ({
  at: at(time),
  kind: "slack",
  receiver,
  alertIds: ["a"],
  isEdit: false,
  text,
  html: null,
  ...more,
});

const OBSERVED: Observations = {
  alerts: [ALERT, { ...ALERT, id: "b", rule: "other", query: "Rival" }],
  messages: [
    message("09:10", "comms", "60 want a refund"),
    message("09:20", "on-call", "[CRITICAL] Acme\n\n60 negative", { kind: "email" }),
    message("09:30", "comms", "now 80 want a refund", { isEdit: true }),
    message("09:40", "others", "about another alert", { alertIds: ["b"] }),
  ],
  history: [],
};

function judge(expected: Expectation, observed = OBSERVED): string {
  const judged = judgeExpectation(expected, observed, {
    rule: "storm",
    momentOf: at,
    show,
    start: START,
    end: at("12:00"),
  });
  return judged.outcome === "Met" ? "met" : judged.because;
}

test.each<[Expectation, string]>([
  [{ by: "09:10", alert: "firing", severity: "warning", to: ["comms"] }, "met"],
  [{ by: "09:20", alert: "firing", severity: "critical", to: ["comms", "on-call"] }, "met"],
  [{ by: "09:15", alert: "firing", severity: "critical" }, "it happened at 09:20, 5m late"],
  [{ by: "09:10", after: "09:06", alert: "firing" }, "met"],
  [{ by: "11:00", alert: "resolved" }, "met"],
  [{ by: "10:00", alert: "resolved" }, "it happened at 11:00, 1h late"],
  [{ by: "09:05", alert: "firing" }, "it happened at 09:10, 5m late"],
  [{ by: "12:00", alert: "acknowledged" }, "the alert of storm was resolved, critical"],
  [{ by: "12:00", query: "Nobody", alert: "firing" }, "no alert of storm opened"],
  [{ by: "10:00", to: ["crisis"] }, "crisis got no message about storm by 10:00; notified: comms, on-call"],
  [{ by: "10:00", slack: "*refund*", email: 'contains "60 neg"' }, "met"],
  [{ by: "10:00", slack: "80 want" }, "met"],
  [{ by: "09:20", slack: "80 want" }, "it happened at 09:30, 10m late"],
  [
    { by: "10:00", slack: "nowhere" },
    'no slack message fits nowhere; the last one says: "now 80 want a refund"',
  ],
  [{ by: "10:00", webhook: "x" }, "there was no webhook message about storm by 10:00"],
  [{ by: "10:00", messages: { comms: 1, others: 1, crisis: 0 } }, "met"],
  [{ by: "10:00", messages: { comms: 2 } }, "comms got 1 messages by 10:00, expected 2"],
  [{ by: "10:00", messages: { comms: { atMost: 0 } } }, "comms got 1 messages by 10:00, expected at most 0"],
  [{ by: "11:30", after: "11:10", to: ["comms"] }, "it happened before 11:10"],
  [{ never: { alert: "any" } }, "storm was firing, warning, at 09:10"],
  [{ never: { severity: "critical", before: "09:15" } }, "met"],
  [{ never: { severity: "critical" } }, "storm was firing, critical, at 09:20"],
  [{ never: { alert: "firing", after: "11:00" } }, "met"],
  [{ never: { alert: "firing", after: "10:59" } }, "storm was firing, critical, at 10:59"],
  [{ never: { to: ["crisis"] } }, "met"],
  [{ never: { rule: "any", to: ["others"] } }, 'others got at 09:40: "about another alert"'],
  [{ never: { to: ["others"] } }, "met"],
  [{ never: { slack: "80 want" } }, 'comms got at 09:30: "now 80 want a refund"'],
  [{ never: { email: "80 want" } }, "met"],
])("%j: %s", (expected, because) => {
  expect(judge(expected)).toBe(because);
});

test("a pending alert is nobody's business", () => {
  const pending = { ...ALERT, seen: ALERT.seen.slice(0, 1) };
  expect(judge({ never: { alert: "any" } }, { ...OBSERVED, alerts: [pending] })).toBe("met");
  expect(judge({ by: "11:00", alert: "any" }, { ...OBSERVED, alerts: [pending] })).toBe(
    "the alert of storm was pending, warning",
  );
});

test("an expectation that holds at a moment holds at every later one, unless it counts messages", () => {
  for (let minute = 0; minute < 180; minute += 5) {
    const by = show(START + minute * MINUTE);
    const met = judge({ by, alert: "firing", severity: "critical", to: ["comms", "on-call"] }) === "met";
    expect(met, by).toBe(minute >= 20);
  }
});

test("patterns are words of the message, quoted or with wildcards, in any case and over line breaks", () => {
  expect(fitsPattern("My *refund*\nplease", "REFUND")).toBe(true);
  expect(fitsPattern("My refund\nplease", "my*please")).toBe(true);
  expect(fitsPattern("My refund please", "refund*")).toBe(false);
  expect(fitsPattern("60%? yes", 'contains "60%?"')).toBe(true);
  expect(fitsPattern("600", 'contains "60?"')).toBe(false);
});
