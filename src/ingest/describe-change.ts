import type { Mention } from "../model/mention.ts";

const SENTIMENTS = new Set(["positive", "neutral", "negative"]);

/** What changed on a mention since it was stored, in words of ours only: its own values are hostile. */
export function describeChange(before: Mention, after: Mention): string {
  const changes: string[] = [];
  if (before.sentiment !== after.sentiment) {
    changes.push(
      `its sentiment changed from ${sentiment(before.sentiment)} to ${sentiment(after.sentiment)}`,
    );
  }
  const gained = after.categories.filter(
    ({ id }) => !before.categories.some((known) => known.id === id),
  ).length;
  if (gained > 0)
    changes.push(gained === 1 ? "it was put into a category" : `it was put into ${gained} categories`);
  if (number(after.reach) > number(before.reach)) {
    changes.push(
      `its reach grew from ${number(before.reach).toLocaleString("en")} to ${number(after.reach).toLocaleString("en")}`,
    );
  }
  if (number(after.followers) > number(before.followers)) changes.push("its author gained followers");
  return changes.length === 0 ? "it was edited after it was seen" : `${changes.join(", ")} after it was seen`;
}

function sentiment(value: string | null): string {
  return value !== null && SENTIMENTS.has(value) ? value : "unknown";
}

function number(value: number | null): number {
  return value ?? 0;
}
