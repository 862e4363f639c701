import { expect, test } from "vitest";
import { createTimes } from "../../src/console/common/times.ts";
import { buildVolume } from "../../src/console/parts/build-volume.ts";
import { volumeChart } from "../../src/console/parts/volume-chart.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { HOUR } from "../../src/lib/instant.ts";

const FROM = Date.parse("2026-03-03T00:00:00Z");
const counts = [
  { projectId: "7", queryId: "1", queryName: "Quiet", hour: FROM, sentiment: "neutral", n: 1 },
  { projectId: "7", queryId: "2", queryName: "Loud <b>", hour: FROM + HOUR, sentiment: "negative", n: 6 },
  { projectId: "7", queryId: "2", queryName: "Loud <b>", hour: FROM + HOUR, sentiment: "mixed", n: 2 },
  { projectId: "7", queryId: "2", queryName: "Loud <b>", hour: FROM + 2 * HOUR, sentiment: null, n: 1 },
];

test("volume has every hour, also the empty ones, and the liveliest query first", () => {
  const [loud, quiet] = buildVolume(counts, FROM, 3);
  expect(loud?.queryName).toBe("Loud <b>");
  expect(loud?.hours.map(({ total }) => total)).toEqual([0, 8, 1]);
  expect(loud).toMatchObject({ total: 9, negative: 6, peak: { hour: FROM + HOUR, total: 8 } });
  expect(quiet?.total).toBe(1);
});

test("a sentiment that the source invented is counted as unknown", () => {
  expect(buildVolume(counts, FROM, 3)[0]?.hours[1]).toMatchObject({ negative: 6, unknown: 2, neutral: 0 });
});

function cellsOf(markup: string): string[][] {
  return markup
    .split("<tr>")
    .slice(2)
    .map((row) => [...row.matchAll(/<t[dh][^>]*>([^<]*)/g)].map(([, text]) => text ?? ""));
}

test("the numbers of each hour add up to all of it", () => {
  const [loud] = buildVolume(counts, FROM, 3);
  if (loud === undefined) throw new Error("no volume");
  const rows = cellsOf(volumeChart(loud, createTimes(createManualClock(FROM + 3 * HOUR), "UTC")).toString());
  expect(rows).toEqual([
    ["02:00", "1", "0", "0", "0", "1"],
    ["01:00", "8", "6", "0", "0", "2"],
    ["00:00", "0", "0", "0", "0", "0"],
  ]);
});

test("over more than a day each hour has its day, and the last one is not now", () => {
  const [loud] = buildVolume(counts, FROM, 49);
  if (loud === undefined) throw new Error("no volume");
  const times = createTimes(createManualClock(FROM + 90 * HOUR), "UTC");
  const markup = volumeChart(loud, times, { isPast: true }).toString();
  const names = cellsOf(markup).map(([name]) => name);
  expect(new Set(names).size).toBe(49);
  expect([names[0], names.at(-1)]).toEqual(["Thu 5 Mar, 00:00 UTC", "Tue 3 Mar, 00:00 UTC"]);
  expect(markup).toContain("<span>Tue 3 Mar, 00:00 UTC</span><span>peak 8 at Tue 3 Mar, 01:00 UTC</span>");
  expect(markup).toMatch(/<span>Thu 5 Mar, 00:00 UTC<\/span>\s*<\/div>/);
});

test("the chart says in words what it draws, and has no inline styles", () => {
  const times = createTimes(createManualClock(FROM + 3 * HOUR), "UTC");
  const [loud] = buildVolume(counts, FROM, 3);
  if (loud === undefined) throw new Error("no volume");
  const markup = volumeChart(loud, times).toString();
  expect(markup).toContain("9 mentions in 3 hours, 6 of them negative; most in the hour from 01:00, 8.");
  expect(markup).toMatch(/<svg[^>]*role="img"[^>]*aria-labelledby="([\w-]+)-title \1-desc"/);
  expect(markup).not.toMatch(/style=|<b>/);
});
