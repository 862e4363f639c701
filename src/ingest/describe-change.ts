import type { Mention, MentionCategory } from "../model/mention.ts";

const SENTIMENTS = new Set(["positive", "neutral", "negative"]);

/**
 * Describes in our words what changed on a mention since it was stored. Its own values are hostile and are not
 * repeated; category names come from the account, without characters that any format interprets.
 */
export function describeChange(before: Mention, after: Mention): string {
  const changes: string[] = [];
  if (before.sentiment !== after.sentiment) {
    changes.push(
      `its sentiment changed from ${sentiment(before.sentiment)} to ${sentiment(after.sentiment)}`,
    );
  }
  const gained = after.categories.filter(({ id }) => !before.categories.some((known) => known.id === id));
  if (gained.length > 0) changes.push(`it was put into ${formatCategories(gained)}`);
  if (number(after.reach) > number(before.reach)) {
    changes.push(
      `its reach grew from ${number(before.reach).toLocaleString("en")} to ${number(after.reach).toLocaleString("en")}`,
    );
  }
  if (number(after.followers) > number(before.followers)) changes.push("its author gained followers");
  return changes.length === 0 ? "it was edited after it was seen" : `${changes.join(", ")} after it was seen`;
}

function formatCategories(gained: readonly MentionCategory[]): string {
  const names = gained.map(({ name }) => plainName(name ?? "")).filter((name) => name !== "");
  const most = names.slice(0, MOST_NAMES).join(", ");
  if (gained.length === 1) return most === "" ? "a category" : `the category ${most}`;
  return most === "" ? `${gained.length} categories` : `${gained.length} categories: ${most}`;
}

const MOST_NAMES = 3;

function plainName(name: string): string {
  return name
    .replaceAll(/[^\p{L}\p{N} &-]/gu, " ")
    .replaceAll(/ +/g, " ")
    .trim()
    .slice(0, 40);
}

function sentiment(value: string | null): string {
  return value !== null && SENTIMENTS.has(value) ? value : "unknown";
}

function number(value: number | null): number {
  return value ?? 0;
}
