import { groupBy } from "../../lib/group-by.ts";
import { parseUrl } from "../../lib/parse-url.ts";
import type { FeedAnswer, FeedRequest, Recheck, RecheckResult, StoredItem } from "./define-feed.ts";

/** After one fetch. */
export const MOST_PAGES = 3;

/** Longer ones were cut when they were stored. */
const LONGEST_ADDRESS = 999;

/** How an item of a source that does not say what was deleted is asked for again: its page. */
export function pageReference(url: string | null): { readonly reference?: string } {
  return url !== null && /^https?:/i.test(url) && url.length <= LONGEST_ADDRESS ? { reference: url } : {};
}

/**
 * Asks for the pages of stored items: 404 and 410 are gone. Where one is gone, the front page of its site has to be there,
 * and a site that answers so for every page that is asked does not show them to us, and has deleted nothing.
 */
export function* recheckPages(stored: readonly StoredItem[]): Recheck {
  const checks: { readonly item: StoredItem; readonly origin: string; readonly status: number }[] = [];
  for (const item of stored) {
    const url = parseUrl(item.reference ?? "");
    if (item.reference === null || url === null) continue;
    const [answer] = yield [{ url: item.reference, page: true }];
    checks.push({ item, origin: url.origin, status: answer?.status ?? 0 });
  }
  const gone: NonNullable<RecheckResult["gone"]>[number][] = [];
  const unanswered: StoredItem[] = [];
  for (const [origin, pages] of groupBy(checks, (page) => page.origin)) {
    const missing = pages.filter(({ status }) => GONE.has(status));
    const isWall = pages.length > 1 && missing.length === pages.length;
    const isSiteThere = missing.length > 0 && !isWall && (yield* isThere(`${origin}/`));
    for (const { item, status } of pages) {
      const reason = `its page is gone: its site answers ${status}`;
      if (GONE.has(status)) gone.push({ id: item.id, reason, isSiteThere });
      else if (!SHOWN.has(status)) unanswered.push(item);
    }
  }
  return { items: [], deletes: [], gone, unanswered };
}

/** A page that every site has. */
function* isThere(url: string): Generator<readonly FeedRequest[], boolean, readonly FeedAnswer[]> {
  const [answer] = yield [{ url, page: true }];
  return SHOWN.has(answer?.status ?? 0);
}

const GONE = new Set([404, 410]);
/** The page is there. Refusals and faults of a server say nothing about it. */
const SHOWN = new Set([200, 203, 204, 206, 304]);
