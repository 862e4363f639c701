import { readFileSync, statSync } from "node:fs";
import { UserError, whyUnread } from "../../lib/errors.ts";
import { stableHash } from "../../lib/json.ts";
import type { FeedKind, FeedPart, FeedProxy } from "../common/define-feed.ts";
import { kindOf } from "../kinds/all-kinds.ts";
import type { ConfiguredFeed } from "../store/feeds.ts";
import type { FeedConfig, ListenConfig } from "./listen-config.ts";

/** One thing that is fetched or pushed, with everything that its configuration says. */
export interface PlannedFeed extends ConfiguredFeed {
  readonly part: FeedPart;
  readonly definition: FeedKind;
  readonly settings: FeedConfig;
}

/**
 * The feeds of a configuration, each address once. Throws a UserError if a file with addresses cannot be read.
 */
export function planFeeds(listen: Pick<ListenConfig, "feeds" | "queries">): readonly PlannedFeed[] {
  const planned = new Map<string, PlannedFeed>();
  for (const settings of listen.feeds) {
    const definition = kindOf(settings);
    for (const part of definition.parts(settings, { queries: listen.queries, readFile })) {
      const key = stableHash([definition.kind, part.id]);
      if (planned.has(key)) continue;
      planned.set(key, {
        ...{ key, kind: definition.kind, name: part.name, part, definition, settings },
        host: part.url === null ? "" : new URL(part.url).host,
        everyMs: part.url === null ? null : (everyOf(settings) ?? definition.everyMs),
      });
    }
  }
  return [...planned.values()];
}

/** A stream is not fetched every so often. */
function everyOf(settings: FeedConfig): number | undefined {
  return "every" in settings ? settings.every : undefined;
}

/** How its answers are reached; a stream and a mailbox have connections of their own. */
export function proxyOf(settings: FeedConfig): { readonly proxy?: FeedProxy } {
  return "proxy" in settings && settings.proxy !== undefined ? { proxy: settings.proxy } : {};
}

/** More than any file beside a configuration has; what reads it has its own limit. */
const MOST_BYTES = 8_000_000;

function readFile(path: string): string {
  try {
    if (statSync(path).size <= MOST_BYTES) return readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${whyUnread(error)}`);
  }
  throw new UserError(`${path} is larger than ${MOST_BYTES / 1e6} MB; split it`);
}
