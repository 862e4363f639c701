import { DAY, HOUR } from "../../lib/instant.ts";

/** What was seen of a stored item whose source does not say what it has deleted. */
export interface Witness {
  /** What its page, or its source when asked for it, answered. */
  readonly seen: "There" | "Gone" | "Nothing";
  /** Whether something of the same site that must exist answered meanwhile. */
  readonly isSiteThere: boolean;
  /** Whether a document has listed it since yesterday. */
  readonly isListed: boolean;
  /** Since it was first seen to be gone; null: it was not, or it was there after that. */
  readonly goneForMs: number | null;
}

type DeleteDecision =
  /** It is there. What was seen before is forgotten. */
  | { readonly outcome: "Present" }
  /** No answer that says anything. It is asked for again soon. */
  | { readonly outcome: "NothingLearnt" }
  /** Its site answers that everything is gone: it has moved, or does not let us in. Its owner is notified, and nothing is deleted. */
  | { readonly outcome: "SiteAway" }
  /** Its page is gone, and its feed shows it still: the address is wrong, or the page comes later. */
  | { readonly outcome: "StillListed" }
  /** It is gone for the first time. */
  | { readonly outcome: "FirstWitness" }
  /** It is gone still, and a day is not over. */
  | { readonly outcome: "TooSoon"; readonly againInMs: number }
  | { readonly outcome: "Deleted" };

/** Between the first and the second time that an item is seen to be gone: an outage or a move is mended by then. */
export const SECOND_WITNESS_MS = DAY;

/** Whether an item is deleted: two witnesses say so, a day apart, and nobody says the opposite. Pure. */
export function decideDelete({ seen, isSiteThere, isListed, goneForMs }: Witness): DeleteDecision {
  if (seen === "There") return { outcome: "Present" };
  if (seen === "Nothing") return { outcome: "NothingLearnt" };
  if (!isSiteThere) return { outcome: "SiteAway" };
  if (isListed) return { outcome: "StillListed" };
  if (goneForMs === null) return { outcome: "FirstWitness" };
  return goneForMs >= SECOND_WITNESS_MS
    ? { outcome: "Deleted" }
    : { outcome: "TooSoon", againInMs: Math.max(HOUR / 60, SECOND_WITNESS_MS - goneForMs) };
}
