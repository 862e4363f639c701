import type { Instant } from "../../../lib/instant.ts";
import type { Alert } from "../../model/alert.ts";
import type { Mention } from "../../model/mention.ts";
import type { Rule } from "../../rules/rule.ts";
import type { Facts } from "../../store/stores.ts";
import { matcherOf } from "./explain-alert.ts";

const MOST_CANDIDATES = 1_000;

/** The mentions to choose from: those that met the rule, or those that its window counted. */
export async function mentionsOfAlert(
  stores: Facts,
  alert: Alert,
  rule: Rule | undefined,
): Promise<readonly { readonly mention: Mention; readonly story: string }[]> {
  if (rule === undefined || rule.kind === "mention")
    return stores.mentions.ofAlert(alert.projectId, alert.id, MOST_CANDIDATES);
  const until: Instant = Math.max(alert.windowTo, alert.lastSeenAt);
  const found = await stores.mentions.inWindow(
    alert.projectId,
    alert.queryId,
    alert.windowFrom,
    until,
    MOST_CANDIDATES,
  );
  const isCounted = matcherOf(rule, alert);
  return found.filter(({ mention }) => rule.judge(mention).met && isCounted(mention));
}
