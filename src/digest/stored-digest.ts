import { titleOf } from "../model/wording.ts";
import { type DigestMore, type DigestView, NO_MORE } from "../templates/digest-view.ts";

/** Default values of fields that older versions did not store. */
const UNKNOWN = { language: "en", topAuthors: [], topHashtags: [], unsubscribeUrl: null, volume: null };
const UNKNOWN_TOTALS = { usualMentions: null, usualNegative: null };

/** A stored edition. It may still wait for its receiver while Earshot is upgraded. */
export function storedDigest(body: unknown): DigestView {
  const stored = body as DigestView;
  return {
    ...UNKNOWN,
    ...stored,
    alerts: stored.alerts.map((alert) => ({ ...alert, title: alert.title ?? titleOf(alert.rule) })),
    more: moreOf(stored),
    alertCount: stored.alertCount ?? stored.alerts.length,
    totals: { ...UNKNOWN_TOTALS, ...stored.totals },
    perQuery: stored.perQuery.map((row) => ({ ...UNKNOWN_TOTALS, ...row })),
  };
}

function moreOf({ more = NO_MORE }: DigestView): DigestMore {
  return { ...more, common: more.common.map((one) => ({ ...one, title: one.title ?? titleOf(one.rule) })) };
}
