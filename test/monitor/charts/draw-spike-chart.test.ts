import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { drawSpikeChart } from "../../../src/monitor/charts/draw-spike-chart.ts";
import { type SpikeChart, THEMES, type Theme } from "../../../src/monitor/charts/spike-chart.ts";

const START = Date.UTC(2026, 2, 28, 18);
const COUNTS = Array.from({ length: 144 }, (_, i) => (i > 130 ? 180 - i : i % 7));

const chart: SpikeChart = {
  title: "320 negative mentions in 30 min, 24 expected",
  counted: "negative mentions in 5 min",
  columns: COUNTS.map((count, i) => ({ at: START + i * 5 * MINUTE, count, expected: 4, ordinary: 12 })),
  columnMs: 5 * MINUTE,
  firing: [{ from: START + 131 * 5 * MINUTE, to: START + 144 * 5 * MINUTE }],
  notifiedAt: [START + 133 * 5 * MINUTE],
  zone: "Europe/Berlin",
};

const draw = (changes: Partial<SpikeChart> = {}, theme: Theme = "light"): string =>
  drawSpikeChart({ ...chart, ...changes }, theme);

describe("the chart of a spike", () => {
  it("says in numbers what happened, when, and in which zone", () => {
    const svg = draw();
    expect(svg).toContain("<title>320 negative mentions in 30 min, 24 expected</title>");
    expect(svg).toContain("Sat 28 Mar 2026, 19:00 to Sun 29 Mar, 08:00, times in Europe/Berlin");
    for (const label of [
      "negative mentions in 5 min",
      "fired",
      "expected",
      "ordinary",
      "Sun 29 Mar",
      ">40<",
    ]) {
      expect(svg).toContain(label);
    }
  });

  it("shows what fired by place, by colour and by a mark", () => {
    expect(draw({ firing: [], notifiedAt: [] })).not.toMatch(/>fired<|l-6 -11h12Z/);
    expect(draw().match(/l-6 -11h12Z/g)?.length).toBe(1);
    expect(draw()).toContain('fill="#d55e00"');
    const outside = [{ from: START - 2 * HOUR, to: START - HOUR }];
    expect(draw({ firing: outside, notifiedAt: [START - HOUR] })).not.toContain("l-6 -11h12Z");
  });

  it.each(THEMES)("is a drawing in the theme %s, without anything loaded or run", (theme) => {
    const svg = draw({}, theme);
    expect(svg.startsWith("<svg ")).toBe(true);
    expect(svg.endsWith("</svg>")).toBe(true);
    expect(svg).not.toMatch(/<(script|style|image|foreignObject|a|use)\b|href|NaN|undefined/);
  });

  it("takes any text as text, and shortens what has no room", () => {
    const hostile = `</text><script>alert(1)</script>" onload="x ‮ \u0007 & ${"long ".repeat(200)}\ud800`;
    const svg = draw({ title: hostile, counted: hostile, note: hostile });
    expect(svg).not.toMatch(/<script|onload="/);
    for (const mark of ["\u202e", "\u0007", "\ud800"]) expect(svg).not.toContain(mark);
    expect(svg).toContain("&lt;script&gt;");
    expect(svg).toContain("…</text>");
  });

  it.each([
    ["nothing at all", [], 1],
    ["zeros", [0, 0, 0], 1],
    ["one bucket", [7], 1],
    ["millions", [3_000_000, 1, 2], 1],
    ["months", Array.from({ length: 400 }, (_, i) => i), 72],
  ])("can be drawn of %s", (_, counts, width) => {
    const columnMs = width * 5 * MINUTE;
    const columns = counts.map((count, i) => ({
      at: START + i * columnMs,
      count,
      expected: 0.002,
      ordinary: 1,
    }));
    const svg = draw({ columns, columnMs, firing: [], notifiedAt: [] });
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(svg).toContain("times in Europe/Berlin");
  });

  it("writes the number of the highest bar that fired above it, inside the picture", () => {
    const label = (svg: string) =>
      /<text x="([\d.]+)"[^>]*paint-order="stroke">([\d,]+)</.exec(svg)?.slice(1);
    expect(label(draw())).toEqual([expect.any(String), "49"]);
    expect(label(draw({ firing: [] }))).toBeUndefined();
    const quiet = chart.columns.map((column) => ({ ...column, count: 1 }));
    expect(label(draw({ columns: quiet }))).toBeUndefined();
    for (const last of [0, 143]) {
      const columns = chart.columns.map((column, i) => ({ ...column, count: i === last ? 4_999_622 : 5 }));
      const at = columns[last]?.at ?? 0;
      const [x, text] = label(draw({ columns, firing: [{ from: at, to: at + 5 * MINUTE }] })) ?? [];
      expect(text).toBe("4,999,622");
      expect(Math.abs(Number(x) - 300)).toBeLessThan(260);
    }
  });

  it("numbers the lines so that they fit beside the picture", () => {
    const most = (count: number) => draw({ columns: chart.columns.map((column) => ({ ...column, count })) });
    expect(most(60_000)).toContain(">60,000<");
    expect(most(300_000)).toContain(">300k<");
    expect(most(5_000_000)).toContain(">6M<");
  });

  it("is scaled by the counts, not by what is still unknown of a new series", () => {
    const columns = chart.columns.map((column, i) => ({ ...column, ordinary: i < 9 ? 5_000 : 12 }));
    expect(draw({ columns })).toContain(">100<");
    expect(draw({ columns })).not.toContain(">200<");
  });

  it("shortens the name before the numbers, and does not let it turn them around", () => {
    const title = (changes: Partial<SpikeChart>, theme: Theme = "light") =>
      /font-weight="bold"[^>]*>([^<]*)<\/text>/.exec(draw(changes, theme))?.[1];
    expect(title({ name: "y".repeat(300) })).toMatch(
      /^y+…\u200e: 320 negative mentions in 30 min, 24 expected$/,
    );
    expect(title({ name: "שלום" })).toContain("שלום\u200e: 320");
    expect(title({ name: "日本語 Tea 👩‍👩‍👧" })).toMatch(/^… Tea …\u200e: 320/);
    expect(title({ name: "日本語" }, "page")).toContain("日本語");
    expect(draw({ name: "日本語" })).toContain("<title>日本語: 320");
  });

  it("leaves out a time that would lie over the date beside it", () => {
    const columns = Array.from({ length: 432 }, (_, i) => ({
      at: Date.UTC(2026, 2, 2, 0, 2) + i * 10 * MINUTE,
      count: 1,
      expected: 1,
      ordinary: 4,
    }));
    const svg = draw({ columns, columnMs: 10 * MINUTE, zone: "UTC" });
    expect([...svg.matchAll(/text-anchor="middle">([^<]*)</g)].map(([, label]) => label).sort()).toEqual([
      "12:00",
      "12:00",
      "Thu 5 Mar",
      "Tue 3 Mar",
      "Wed 4 Mar",
    ]);
  });

  it("stays small", () => {
    expect(draw().length).toBeLessThan(20_000);
  });
});
