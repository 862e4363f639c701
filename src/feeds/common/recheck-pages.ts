import { groupBy } from "../../lib/group-by.ts";
import type { Recheck, RecheckResult, StoredItem } from "./define-feed.ts";

/** After one fetch. */
export const MOST_PAGES = 3;

/** Longer ones were cut when they were stored. */
const LONGEST_ADDRESS = 999;

/** How an item of a source that does not say what was deleted is asked for again: its page. */
export function pageReference(url: string | null): { readonly reference?: string } {
  return url !== null && /^https?:/i.test(url) && url.length <= LONGEST_ADDRESS ? { reference: url } : {};
}

/**
 * Asks for the pages of stored items: 404 and 410 are deletes. A site that answers 404 for every page does not show them
 * to us, and has deleted nothing.
 */
export function* recheckPages(stored: readonly StoredItem[]): Recheck {
  const asked: { readonly item: StoredItem; readonly host: string; readonly status: number }[] = [];
  for (const item of stored) {
    if (item.reference === null || !URL.canParse(item.reference)) continue;
    const [answer] = yield [{ url: item.reference, page: true }];
    asked.push({ item, host: new URL(item.reference).host, status: answer?.status ?? 0 });
  }
  const deletes: RecheckResult["deletes"][number][] = [];
  const unanswered: StoredItem[] = [];
  for (const pages of groupBy(asked, ({ host }) => host).values()) {
    const isWall = pages.length > 1 && pages.every(({ status }) => status === 404);
    for (const { item, status } of pages) {
      if (status === 410 || (status === 404 && !isWall))
        deletes.push({ id: item.id, reason: `its page is gone: its site answers ${status}` });
      else if (status === 404 || !SHOWN.has(status)) unanswered.push(item);
    }
  }
  return { items: [], deletes, unanswered };
}

/** The page is there. Refusals and faults of a server say nothing about it. */
const SHOWN = new Set([200, 203, 204, 206, 304]);
