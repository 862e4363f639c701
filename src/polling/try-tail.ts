import type { SourcePage } from "../ingest/source-page.ts";
import type { PollKind } from "../model/poll.ts";
import type { ObservedQuirk } from "../model/server-quirk.ts";
import { type PollRequest, requestOf } from "./poll-request.ts";
import type { PollTail } from "./poll-state.ts";

/**
 * Follows the cursor of a last page once, when something is known to have come since. One call in the life of an
 * account. The result is shown, and no poll relies on it: mentions that are indexed late lie behind such a cursor.
 */
export async function tryTail(
  tail: PollTail,
  firstPage: (request: PollRequest) => Promise<Pick<SourcePage, "mentions" | "rejected"> | null>,
  poll: PollKind,
): Promise<readonly ObservedQuirk[]> {
  try {
    const page = await firstPage(requestOf(poll, tail));
    const rows = (page?.mentions.length ?? 0) + (page?.rejected.length ?? 0);
    return [{ quirk: "after-end", value: rows > 0 ? "resumes" : "silent" }];
  } catch (error) {
    const { status } = error as { readonly status?: number | null };
    const isRefused = status === 400 || status === 404 || status === 410 || status === 422;
    return isRefused ? [{ quirk: "after-end", value: "refused" }] : [];
  }
}
