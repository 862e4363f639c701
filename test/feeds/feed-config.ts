import type { FeedConfig } from "../../src/feeds/run/listen-config.ts";
import { readFeeds } from "../../src/feeds/run/read-feeds.ts";
import type { Issue } from "../../src/lib/errors.ts";

/** A configuration as people write it; feeds on this machine are allowed. */
export function feedsOf(...written: readonly object[]): readonly FeedConfig[] {
  const issues: Issue[] = [];
  const feeds = readFeeds(
    { listen: { feeds: written.map((one) => ({ allowPrivateAddress: true, ...one })) } },
    issues,
  );
  if (issues.length > 0) throw new Error(JSON.stringify(issues));
  return feeds;
}
