import { DAY, HOUR, MINUTE } from "../world.ts";
import type { Play } from "./play.ts";
import { createRandom, createWriter, insert } from "./writer.ts";

/** A Friday and a Saturday in winter and summer time, and the night in which Europe's clocks change. */
const DAYS = ["2026-01-16", "2026-07-24", "2026-03-28"];
const ZONES = ["Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Australia/Adelaide", "UTC"];
const TOLD = [
  "closed its hotline without a word, and hundreds wait for an answer",
  "lost the luggage of a whole train and nobody knows where it is",
  "doubles the price of every contract from tomorrow on",
];
const HISTORY_DAYS = 10;

/**
 * A world in which the seed decides everything: zone, day, brands, how much is said of them and in which mood, when storms
 * come, how high and how long, whether two come at once or one after the other, and when a mood turns.
 */
export function drawnWorld(seed: number): Play {
  const random = createRandom(seed ^ 0x5eed);
  const draw = (least: number, most: number) => least + random() * (most - least);
  const one = <Thing>(list: readonly Thing[]): Thing => {
    const drawn = list[Math.floor(random() * list.length)];
    if (drawn === undefined) throw new Error("nothing to draw from");
    return drawn;
  };
  const from = Date.parse(`${one(DAYS)}T00:00:00Z`) + Math.floor(draw(0, 24)) * HOUR;
  const to = from + Math.floor(draw(20, 34)) * HOUR;
  const brands = ["Quill", "Rowan", "Sable"].slice(0, 1 + Math.floor(draw(0, 3)));
  const { add, flow, storm, words, all } = createWriter(seed);
  const storms: number[] = [];
  const together = from + draw(1, 8) * HOUR;
  for (const brand of brands) {
    const perHour = draw(2, 45);
    const negative = draw(0.05, 0.5);
    const turnsAt = from + draw(2, 16) * HOUR;
    const turnsBack = turnsAt + (random() < 0.5 ? draw(4, 20) * HOUR : 0);
    flow(brand, perHour, from - HISTORY_DAYS * DAY, turnsAt, negative);
    flow(brand, perHour, turnsAt, turnsBack, Math.min(0.9, negative + draw(0.3, 0.5)));
    flow(brand, perHour, turnsBack, to, negative);
    const told = one(TOLD);
    for (let count = Math.floor(draw(0, 3)); count > 0; count--) {
      const at = random() < 0.4 ? together : from + draw(1, 24) * HOUR;
      storms.push(at);
      storm(brand, at, draw(1, 12), draw(1, 6) * HOUR, told);
      add({
        ...{ brand, at: at + draw(10, 90) * MINUTE, sentiment: one(["negative", "neutral"]) },
        ...{ author: one(["the_herald", "ring_road_fm"]), followers: Math.floor(draw(2_000, 400_000)) },
        ...{ verified: random() < 0.5, text: `${brand} ${told}, ${words(3)}` },
      });
    }
  }
  const written = all().filter(({ at }) => at < to);
  return {
    ...{ name: "drawn", timezone: one(ZONES), queries: brands, rules: "rules" },
    ...{ from, to, history: `${HISTORY_DAYS}d` },
    write: (pool, _, queries) => insert(pool, queries, written),
    step: (now) => (storms.some((at) => now >= at && now < at + 6 * HOUR) ? 5 : 10) * MINUTE,
    reads: storms.slice(0, 2).map((at) => at + HOUR),
  };
}
