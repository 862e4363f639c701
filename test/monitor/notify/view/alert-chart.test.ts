import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import type { Explanation } from "../../../../src/monitor/model/alert.ts";
import { drawAlertChart } from "../../../../src/monitor/notify/view/alert-chart.ts";
import { NO_EXPLANATION } from "../../alerts/no-explanation.ts";
import { alertOf } from "../alert-of.ts";

const NOON = Date.UTC(2026, 2, 2, 12);

function explanation(ordinaryMs?: number): Explanation {
  const chart = {
    counted: "negative mentions in 15 min",
    columnMs: 15 * MINUTE,
    ...(ordinaryMs !== undefined && { ordinaryMs }),
    columns: Array.from({ length: 12 }, (_, i) => ({
      at: NOON + i * 15 * MINUTE,
      count: i,
      expected: 0.5,
      ordinary: 2.4,
    })),
  };
  return { ...NO_EXPLANATION, chart };
}

function drawn(because: string, ordinaryMs?: number): string | null {
  const alert = alertOf({ because, windowFrom: NOON + HOUR, windowTo: NOON + 3 * HOUR });
  return drawAlertChart(alert, explanation(ordinaryMs), { zone: "UTC", theme: "light" });
}

describe("the chart of an alert", () => {
  it("is titled by what it counts, because the message above has the number", () => {
    expect(drawn("19 negative mentions in 2 h, 3.9 expected. At this hour …")).toContain(
      `<title>United: ${explanation().chart?.counted}</title>`,
    );
  });

  it("marks all of the time in which the alert fired, not only its peak", () => {
    const { windowFrom, windowTo } = { windowFrom: NOON + HOUR, windowTo: NOON + HOUR + 30 * MINUTE };
    const fired = (openedAt: number, lastSeenAt: number) => {
      const alert = alertOf({ because: "w.", windowFrom, windowTo, openedAt, lastSeenAt });
      const svg = drawAlertChart(alert, explanation(), { zone: "UTC", theme: "light" }) ?? "";
      return /d="([^"]*)" fill="#d55e00"/.exec(svg)?.[1]?.match(/M/g)?.length;
    };
    expect(fired(windowTo, windowTo)).toBe(2);
    expect(fired(windowTo - 15 * MINUTE, windowTo + HOUR)).toBe(7);
  });

  it("says for which time its band is ordinary, if that is not one column", () => {
    expect(drawn("w.", 2 * HOUR)).toContain("12:00 to 15:00, times in UTC, ordinary: over 2 h</desc>");
    expect(drawn("w.", 15 * MINUTE)).toContain("12:00 to 15:00, times in UTC</desc>");
    expect(drawn("w.")).toContain("12:00 to 15:00, times in UTC</desc>");
  });
});
