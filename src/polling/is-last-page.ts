import { DAY, type Instant } from "../lib/instant.ts";
import type { ServerQuirks } from "../model/server-quirk.ts";

/** A page with fewer mentions than requested. */
export interface ShortPage {
  readonly rows: number;
  /** All rows of its poll so far. */
  readonly sent: number;
  readonly total: number | null;
  /** The most mentions that this server ever sent on one page. */
  readonly fullest: number;
  /** More followed such a page of this poll. */
  readonly goOn: boolean;
}

/**
 * Whether such a page is the last, whatever its cursor: a server may allow fewer on a page than requested without
 * saying so. Its total decides if that was right before; else a page is the last if the server has sent fuller ones.
 */
export function isLastPage(
  { rows, sent, total, fullest, goOn }: ShortPage,
  quirks: ServerQuirks,
  now: Instant,
): boolean {
  const known = quirks.get("total")?.value;
  const isWrong = known === "high" || known === "low" || quirks.has("repeated-rows");
  if (total !== null && !isWrong && sent < total) return false;
  if (total !== null && !isWrong && known === "agrees") return true;
  const seen = quirks.get("short-pages");
  const wentOn = seen?.value === "go-on" && now - seen.lastAt < DAY;
  return !goOn && !wentOn && rows < fullest;
}
