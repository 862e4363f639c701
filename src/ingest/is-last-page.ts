import type { Traits } from "../model/source-trait.ts";

/** A page with fewer mentions than were asked for. */
export interface ShortPage {
  readonly rows: number;
  /** All rows of its walk so far. */
  readonly sent: number;
  readonly total: number | null;
  /** The most that this server ever sent on one page. */
  readonly fullest: number;
  /** More came behind such a page of this walk. */
  readonly wentOn: boolean;
}

/**
 * Whether such a page is the last, whatever its cursor: a server may allow fewer on a page than it is asked for, and not
 * say so. Its total decides, where that was seen to agree; else a page is the last as long as it has sent fuller ones.
 */
export function isLastPage({ rows, sent, total, fullest, wentOn }: ShortPage, traits: Traits): boolean {
  const known = traits.get("total")?.value;
  const isWrong = known === "high" || known === "low" || traits.has("repeated-rows");
  if (total !== null && !isWrong && sent < total) return false;
  if (total !== null && !isWrong && known === "agrees") return true;
  return !wentOn && traits.get("short-pages")?.value !== "go-on" && rows < fullest;
}
