import { createCorrections } from "../../src/console/common/corrections.ts";
import type { Instant } from "../../src/lib/instant.ts";
import type { Stores } from "../../src/monitor/store/stores.ts";

/** What somebody makes of a mention: its sentiment, or a category that it is in, too. */
export type Corrected =
  | { readonly sentiment: "positive" | "neutral" | "negative" }
  | { readonly category: number };

/**
 * What somebody does on the page of a mention of the account. Whoever got no answer looks at the page again first, which
 * shows what was stored.
 */
export async function correctMention(
  stores: Stores,
  resourceId: string,
  to: Corrected,
  { now, who = "ann" }: { readonly now: Instant; readonly who?: "ann" | "bo" },
): Promise<void> {
  const [found] = await stores.mentions.findAnywhere(resourceId);
  // It was lost: the comparison of the facts says so.
  if (found === undefined) return;
  const { projectId, mention } = found;
  const which = { queryId: mention.queryId, resourceId };
  const shown = await stores.sourceEdits.ofMention({ projectId, ...which });
  const by = { via: "page", login: who, typed: null } as const;
  if (shown.some(({ at, actor, edit }) => at === now && actor.login === who && isSame(edit, to))) return;
  const corrections = createCorrections({ feeds: null, stores, toAccount: true });
  if ("sentiment" in to) await corrections.sentiment({ ...which, ...to }, by, now);
  else await corrections.categories({ ...which, added: [to.category], removed: [] }, by, now);
}

function isSame(edit: object, to: Corrected): boolean {
  return "sentiment" in to ? "sentiment" in edit && edit.sentiment === to.sentiment : "addCategories" in edit;
}
