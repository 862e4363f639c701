import { DAY } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";

/** UTC day of publication, part of the identity because it is the partition. */
export function dayOf({ publishedAt }: Pick<Mention, "publishedAt">): string {
  const day = Math.floor((publishedAt ?? 0) / DAY);
  // Mentions of a page are mostly of one day, and spelling it costs more than finding it.
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * DAY).toISOString().slice(0, 10) };
  return lastDay.text;
}

let lastDay = { day: 0, text: "1970-01-01" };
