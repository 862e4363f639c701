import { DAY, HOUR, MINUTE } from "../world.ts";
import { createStream, demoConfig } from "./earshot.ts";
import type { Play } from "./play.ts";

const FROM = Date.parse("2026-11-23T09:00:00Z");
const HISTORY_DAYS = 4;

/**
 * The generated stream of the demo: three crises, with the shipped rules and the demo's receivers. `from`, `to`: a part of it,
 * such as one crisis. `seed`: as in the demo, or what others would write in these crises.
 */
export function demo(
  given: { readonly from?: string; readonly to?: string; readonly seed?: number } = {},
): Play {
  const [from, to] = [
    given.from === undefined ? FROM : Date.parse(given.from),
    given.to === undefined ? FROM + 2.9 * DAY : Date.parse(given.to),
  ];
  const seed = given.seed === undefined ? "earshot-demo" : `earshot-demo ${given.seed}`;
  const crises = ["Parcelwing", "Velorra", "Lumabox"].map((brand, index) => ({
    brand,
    at: FROM + 90 * MINUTE + index * 31 * HOUR,
  }));
  return {
    ...{ name: "demo", timezone: "UTC", queries: [], rules: "rules", from, to, configure: demoConfig },
    history: `${HISTORY_DAYS + Math.ceil((from - FROM) / DAY)}d`,
    write: async (pool, projectId) => {
      const startAt = FROM - HISTORY_DAYS * DAY;
      const stream = createStream({ pool, projectId, seed, startAt, crises });
      await stream.fillUntil(to + HOUR);
    },
    step: (now) => (crises.some(({ at }) => now >= at && now < at + 8 * HOUR) ? 5 * MINUTE : 15 * MINUTE),
    reads: crises.map(({ at }) => at + 45 * MINUTE).filter((at) => at > from),
  };
}
