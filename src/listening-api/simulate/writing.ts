import { capitalised } from "../../lib/text.ts";
import { AGENTS, type Brand, type HomePlace, OPENINGS, OUTLETS, SIGNS } from "./data.ts";
import type { PageType } from "./post.ts";
import type { Random } from "./random.ts";

interface SlotWords {
  readonly brand: Brand;
  readonly place: HomePlace;
  /** Words that only this text needs, by slot. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Fills `{slots}` and takes one of each `[a|b|]`. The first letter is raised where a slot begins the text. */
export function fillSlots(pattern: string, words: SlotWords, random: Random): string {
  const chosen = pattern.replaceAll(/\[([^[\]]*)\]/g, (_, choices: string) =>
    random.pick(choices.split("|")),
  );
  const filled = chosen.replaceAll(/\{(\w+)\}/g, (_, slot: string) => fill(slot, words, random));
  return pattern.startsWith("{") ? capitalised(filled) : filled;
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

/** The same words as different people type them: cases, handles, hashtags, signs of emotion, slips. */
export function typeAs(pageType: PageType, text: string, brand: Brand, random: Random): string {
  let typed = text;
  if (pageType === "twitter" && random.chance(0.25)) typed = typed.replace(brand.name, `@${brand.handle}`);
  if (random.chance(0.14)) typed = typed.toLowerCase();
  if (random.chance(0.08)) typed = typed.replaceAll("'", "");
  if (random.chance(0.06)) typed = swapTwoLetters(typed, random);
  if (random.chance(0.12) && !/[.?!)]$/.test(typed)) typed += random.pick(["!", "...", ".", "!!"]);
  typed = withSign(typed, random);
  if (pageType === "instagram") return `${typed} ${tags(brand, random)}`;
  return random.chance(0.1) ? `${typed} #${brand.name}` : typed;
}

/** Many begin with a few words that say nothing. */
export function withOpening(text: string, random: Random): string {
  return random.chance(0.25) ? random.pick(OPENINGS) + text : text;
}

/** A face at the end, now and then; understood in any language. */
export function withSign(text: string, random: Random): string {
  return random.chance(0.2) ? `${text} ${random.pick(SIGNS)}` : text;
}

/** Some put a link behind it, and many of them the same one. Like all invented hosts, these lie under `.example`. */
export function withLink(pageType: PageType, text: string, brand: Brand, random: Random): string {
  if (!random.chance(LINK_CHANCES[pageType] ?? 0)) return text;
  const name = brand.name.toLowerCase();
  const own = LINK_PATHS.map((path): [string, number] => [`www.${name}.example/${path}`, 5]);
  const news = OUTLETS.map(({ site }): [string, number] => [`${site}/business/${name}-in-numbers`, 2]);
  return `${text} https://${random.weighted([...own, ...news])}`;
}

const LINK_CHANCES: Partial<Record<PageType, number>> = { twitter: 0.12, reddit: 0.2, forum: 0.2 };
const LINK_PATHS = ["help", "app", "news", "about/prices", "careers"];

function tags(brand: Brand, random: Random): string {
  const more = random.pick(["#dailylife", "#notsponsored", "#home", "#weekendvibes", "#reallife"]);
  return `#${brand.name.toLowerCase()} ${more}`;
}

function swapTwoLetters(text: string, random: Random): string {
  const words = [...text.matchAll(/(?<![#@\w])[a-z]{6,}\b/g)];
  if (words.length === 0) return text;
  const place = (random.pick(words).index ?? 0) + random.whole(1, 3);
  return text.slice(0, place) + text.charAt(place + 1) + text.charAt(place) + text.slice(place + 2);
}
