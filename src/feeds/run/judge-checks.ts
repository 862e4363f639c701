import type { DueCheck, ScheduledCheck } from "#listening-api";
import { DAY, HOUR } from "../../lib/instant.ts";
import type { FeedRead, RecheckResult } from "../common/define-feed.ts";
import { decideDelete, SECOND_WITNESS_MS } from "./decide-delete.ts";
import { nextCheckMs } from "./decide-next.ts";

/** A feed whose site does not even answer for what must exist. */
interface JudgedChecks {
  readonly deletes: FeedRead["deletes"];
  readonly checks: readonly ScheduledCheck[];
  /** Items that were not deleted because all of their site is away. */
  readonly away: number;
}

/**
 * Decides about items that were asked for again: deletes that the source itself has said, those with two witnesses, and
 * when each item is asked for next.
 *
 * @param isListing the feed is a document that lists its items for some time
 */
export function judgeChecks(
  due: readonly DueCheck[],
  { deletes, gone = [], unanswered = [] }: Pick<RecheckResult, "deletes" | "gone" | "unanswered">,
  isListing: boolean,
): JudgedChecks {
  const open = new Set(unanswered.map(({ id }) => id));
  const goneById = new Map(gone.map((one) => [one.id, one]));
  const keys = new Map(due.map(({ id, idKey }) => [id, idKey]));
  const judged: FeedRead["deletes"][number][] = deletes.map((one) => ({
    ...one,
    ...keyOf(keys.get(one.id)),
  }));
  const checks: ScheduledCheck[] = [];
  let away = 0;
  for (const item of due) {
    const { id, idKey, ageMs, goneForMs } = item;
    const witness = goneById.get(id);
    const seen = witness !== undefined ? "Gone" : open.has(id) ? "Nothing" : "There";
    const isListed = isListing && item.isListed;
    const decision = decideDelete({ seen, isSiteThere: witness?.isSiteThere ?? true, isListed, goneForMs });
    switch (decision.outcome) {
      case "Present":
        checks.push({ idKey, inMs: nextCheckMs(ageMs), gone: "No" });
        break;
      case "NothingLearnt":
        checks.push({ idKey, inMs: soonMs(item), gone: "AsBefore" });
        break;
      case "SiteAway":
        away++;
        checks.push({ idKey, inMs: soonMs(item), gone: "AsBefore" });
        break;
      case "StillListed":
        checks.push({ idKey, inMs: Math.max(6 * HOUR, nextCheckMs(ageMs) ?? 0), gone: "No" });
        break;
      case "FirstWitness":
        checks.push({ idKey, inMs: SECOND_WITNESS_MS, gone: "Since now" });
        break;
      case "TooSoon":
        checks.push({ idKey, inMs: decision.againInMs, gone: "AsBefore" });
        break;
      case "Deleted":
        judged.push({
          id,
          idKey,
          reason: witness?.reason ?? "its source does not have it any more",
          mayReturn: true,
        });
        break;
      default:
        decision satisfies never;
    }
  }
  return { deletes: judged, checks, away };
}

/** The second witness of an item that was seen to be gone is waited for so long, also where nobody asks for its age any more. */
const WITNESS_WAITS_MS = 7 * DAY;

/** Until an item is asked for again of which nothing was learnt; null: never. */
function soonMs({ ageMs, goneForMs }: DueCheck): number | null {
  const isAwaited = goneForMs !== null && goneForMs < WITNESS_WAITS_MS;
  return nextCheckMs(isAwaited ? 0 : ageMs, false);
}

/** Under which key an item is stored. */
function keyOf(idKey: string | undefined): { readonly idKey?: string } {
  return idKey === undefined ? {} : { idKey };
}
