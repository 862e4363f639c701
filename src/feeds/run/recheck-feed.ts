import { claimChecks, dueNow, scheduleChecks } from "#listening-api";
import { putNotes, reserveHost } from "../store/feeds.ts";
import { FIRST_CHECK_MS } from "./decide-next.ts";
import type { FeedWork } from "./feed-work.ts";
import { judgeChecks } from "./judge-checks.ts";
import type { PageStatus } from "./page-status.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import { siteAway } from "./read-part.ts";
import { recheckDue } from "./recheck-due.ts";

/** Asks for the pages of stored items of a feed, and deletes those that are gone. */
export async function recheckFeed(
  { db, project, items, clock, signal }: FeedWork,
  feed: PlannedFeed,
  pageStatus: PageStatus,
): Promise<void> {
  const { key } = feed;
  const { most = 0 } = feed.definition.recheck ?? {};
  const due = await claimChecks(db, project.id, key, { most, forMs: FIRST_CHECK_MS });
  // What was said of the site the last time stands until something is asked for again.
  if (due.length === 0) return;
  const found = await recheckDue(feed, due, clock.now(), {
    ...{ pageStatus, signal },
    reserve: (host, slots) => reserveHost(db, host, slots),
  });
  await db.transaction().execute(async (transaction) => {
    // While the pages were asked for, a fetch may have listed some of their items again.
    const { deletes, checks, away } = judgeChecks(await dueNow(transaction, project.id, due), found, true);
    await items.store(transaction, feed, { arrived: [], deletes });
    await scheduleChecks(transaction, project.id, checks);
    await putNotes(transaction, project.id, key, { away: away === 0 ? null : siteAway(away) });
  });
}
