import type { DigestTotals, DigestView } from "../templates/digest-view.ts";

/**
 * Whether a period may be told in one line: it was read to its end, nothing fired, and no query was clearly livelier,
 * more negative or more silent than in the period before. Without a period before, only silence is quiet: nobody knows
 * what is usual.
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

/** Half as much again, and a dozen: two mentions after one are not news. */
function isClearlyMore(now: number, before: number): boolean {
  return now > 1.5 * before && now >= before + 12;
}

/** Where many spoke and hardly anybody does, a feed may have broken: that is worth reading. */
function hasFallenSilent(now: number, before: number): boolean {
  return before >= 24 && now < before / 4;
}
