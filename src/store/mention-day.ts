import { DAY } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";

/** UTC day of publication, part of the identity because it is the partition. */
export function dayOf({ publishedAt }: Pick<Mention, "publishedAt">): string {
  const day = Math.floor((publishedAt ?? 0) / DAY);
  // Most mentions of a page have the same day, and formatting it costs more than a look-up.
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * DAY).toISOString().slice(0, 10) };
  return lastDay.text;
}

let lastDay = { day: 0, text: "1970-01-01" };
