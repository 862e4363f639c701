import type { DigestTotals, DigestView } from "../templates/digest-view.ts";

/**
 * Whether one line is enough for a period: it was read to its end, nothing fired, and no query was clearly busier, more
 * negative or more silent than in the period before. Without a period before, only a period without mentions is quiet,
 * because the usual count is unknown.
 */
export function isQuiet(view: Omit<DigestView, "quiet">): boolean {
  if (view.completeUntil < view.periodTo || view.alerts.length > 0) return false;
  return [view.totals, ...view.perQuery].every(isAsUsual);
}

function isAsUsual({ mentions, negative, previousMentions, previousNegative }: DigestTotals): boolean {
  if (previousMentions === null || previousNegative === null) return mentions === 0;
  return (
    !isClearlyMore(mentions, previousMentions) &&
    !isClearlyMore(negative, previousNegative) &&
    !hasFallenSilent(mentions, previousMentions)
  );
}

/** At least half as much more, and a dozen more: two mentions after one are not news. */
function isClearlyMore(now: number, before: number): boolean {
  return now > 1.5 * before && now >= before + 12;
}

/** If a busy query is suddenly silent, a feed may be broken: that is worth reading. */
function hasFallenSilent(now: number, before: number): boolean {
  return before >= 24 && now < before / 4;
}
