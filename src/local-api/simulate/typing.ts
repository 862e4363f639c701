import type { Brand } from "./brands.ts";
import { OUTLETS } from "./outlets.ts";
import { OPENINGS, SIGNS } from "./phrases.ts";
import type { PageType } from "./post.ts";
import type { Random } from "./random.ts";

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
