import type { Brand } from "./brands.ts";
import { AGENTS } from "./phrases.ts";
import type { Place } from "./places.ts";
import type { Random } from "./random.ts";

export interface SlotWords {
  readonly brand: Brand;
  readonly place: Place;
  /** Words that only this text needs, by slot. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Fills `{slots}` and takes one of each `[a|b|]`. The first letter is raised where a slot begins the text. */
export function fillSlots(pattern: string, words: SlotWords, random: Random): string {
  const chosen = pattern.replaceAll(/\[([^[\]]*)\]/g, (_, choices: string) =>
    random.pick(choices.split("|")),
  );
  const filled = chosen.replaceAll(/\{(\w+)\}/g, (_, slot: string) => fill(slot, words, random));
  return pattern.startsWith("{") ? filled.charAt(0).toUpperCase() + filled.slice(1) : filled;
}

function fill(slot: string, { brand, place, more }: SlotWords, random: Random): string {
  const special = more?.[slot];
  if (special !== undefined) return special;
  switch (slot) {
    case "brand":
      return brand.name;
    case "handle":
      return brand.handle;
    case "product":
      return random.pick(brand.products);
    case "hazard":
      return random.pick(brand.hazards);
    case "city":
      return place.city;
    case "agent":
      return random.pick(AGENTS);
    case "amount":
      return `${place.currency}${random.pick(AMOUNTS)}`;
    case "days":
      return String(random.whole(2, 9));
    case "minutes":
      return String(random.pick([20, 25, 35, 40, 48, 52, 65, 75, 90]));
    case "battery":
      return String(random.whole(18, 64));
    case "time":
      return random.pick(["9am", "half past ten", "noon", "2pm", "four", "5:30", "7pm"]);
    case "when":
      return random.pick([
        "yesterday",
        "on Monday",
        "last night",
        "two days ago",
        "last week",
        "this morning",
      ]);
    default:
      throw new Error(`a text asks for {${slot}}, which has no value`);
  }
}
const AMOUNTS = ["2.50", "3.99", "5", "7.90", "9.99", "12", "15", "18.50", "24.99", "30", "49"];
