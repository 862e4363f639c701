import type { SourcePage } from "../ingest/source-page.ts";
import { type Instant, SECOND } from "../lib/instant.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { ObservedQuirk, ServerQuirks } from "../model/server-quirk.ts";
import type { PollRequest } from "./poll-request.ts";
import { momentOf, sinceOf, sinceQuirk } from "./poll-since.ts";
import { clockOf, type StampedPage } from "./stamp-page.ts";

interface Asking {
  readonly queries: readonly WatchedQuery[];
  readonly request: PollRequest;
}

/** What a page is compared with. */
export interface PageContext {
  readonly now: () => Instant;
  /** Whether something is stored that a server which applies the request would leave out. */
  readonly hasOlder: (queries: readonly WatchedQuery[], request: PollRequest) => Promise<boolean>;
}

/** What one page shows about the server. `before`: how many pages of this poll came before it. */
export async function seenOn(
  page: SourcePage,
  { now, hasOlder }: PageContext,
  quirks: ServerQuirks,
  { queries, request }: Asking,
  before: number,
): Promise<ObservedQuirk[]> {
  const found: ObservedQuirk[] = [];
  if (page.mentions.some(({ publishedAt }) => publishedAt === null))
    found.push({ quirk: "dates", value: "missing" });
  if ((before > 0 || request.cursor !== null) && request.path.pages === "cursor")
    found.push({ quirk: "cursors", value: "followed" });
  const clock = clockOf(page, now());
  if (clock !== null) found.push(clock);
  if (before > 0 || request.cursor !== null || request.path.since === "withheld") return found;
  const quirk = sinceQuirk(request);
  const since = sinceOf(request);
  // Some servers read the moment in whole seconds.
  if (page.mentions.some((one) => momentOf(request, one) < since - SECOND))
    return [...found, { quirk, value: "ignored" }];
  const known = quirks.get(quirk)?.value;
  if (known === "honoured") return found;
  if (known === undefined || known === "refused") found.push({ quirk, value: "accepted" });
  if (await hasOlder(queries, request)) found.push({ quirk, value: "honoured" });
  return found;
}

/** Whether the rows behind a page existed when it was sent: mentions arrive while pages are fetched. */
export function wentOn(before: StampedPage, { mentions }: SourcePage, request: PollRequest): boolean {
  const known = new Set(before.mentions.map(({ resourceId }) => resourceId));
  return mentions.some((one) => momentOf(request, one) <= before.sentAt && !known.has(one.resourceId));
}
