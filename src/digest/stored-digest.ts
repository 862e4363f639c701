import type { DigestView } from "../templates/digest-view.ts";
import { NO_MORE } from "../templates/shorten-digest.ts";

/** What a version that did not know of these yet has left open. */
const UNKNOWN = { language: "en", topAuthors: [], topHashtags: [], unsubscribeUrl: null, volume: null };
const UNKNOWN_TOTALS = { usualMentions: null, usualNegative: null };

/** An edition as it was stored. It may wait for its receiver while Earshot is brought up to date. */
export function storedDigest(body: unknown): DigestView {
  const stored = body as DigestView;
  return {
    ...UNKNOWN,
    ...stored,
    more: stored.more ?? NO_MORE,
    alertCount: stored.alertCount ?? stored.alerts.length,
    totals: { ...UNKNOWN_TOTALS, ...stored.totals },
    perQuery: stored.perQuery.map((row) => ({ ...UNKNOWN_TOTALS, ...row })),
  };
}
