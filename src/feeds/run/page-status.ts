import { monotonicMs } from "../../lib/clock.ts";
import { DAY, HOUR, SECOND } from "../../lib/instant.ts";
import type { FeedProxy } from "../common/define-feed.ts";
import { FeedError } from "../common/feed-error.ts";
import type { FetchFeed } from "./fetch-feed.ts";
import type { ForeignReader } from "./open-reader.ts";
import { isAllowed, type RobotsRules } from "./robots.ts";

/** With which status a page for people answers; 0: it did not answer, or its site does not want programs to ask. */
export type PageStatus = (
  url: string,
  how: { readonly allowPrivateAddress: boolean; readonly signal: AbortSignal; readonly proxy?: FeedProxy },
) => Promise<number>;

/** RFC 9309: a robots.txt is used for a day at most. */
const KEPT_MS = DAY;
const RETRY_MS = HOUR;
const MOST_SITES = 1_000;
/** Letters of all rules that are kept. */
const MOST_LETTERS = 2_000_000;
/** A page that takes longer is asked for again later. */
const TIMEOUT_MS = 5 * SECOND;

/** Asks for the status of pages as the robots.txt of their sites allows (RFC 9309). Remembers those for a day. */
export function createPageStatus(
  fetch: FetchFeed["fetch"],
  reader: Pick<ForeignReader, "readRobots">,
): PageStatus {
  /** A site without rules that can be known now is left alone. */
  const sites = new Map<string, { readonly until: number; readonly rules: RobotsRules | null }>();
  let letters = 0;

  function forget(origin: string): void {
    letters -= lettersOf(sites.get(origin)?.rules);
    sites.delete(origin);
  }

  async function siteOf(origin: string, how: Parameters<PageStatus>[1]) {
    const known = sites.get(origin);
    if (known !== undefined && known.until > monotonicMs()) return known;
    const rules = await readRules(origin, how);
    const site = { until: monotonicMs() + (rules === null ? RETRY_MS : KEPT_MS), rules };
    forget(origin);
    sites.set(origin, site);
    letters += lettersOf(rules);
    for (const oldest of sites.keys()) {
      if (sites.size <= MOST_SITES && letters <= MOST_LETTERS) break;
      forget(oldest);
    }
    return site;
  }

  /** Null: its rules cannot be known now. */
  async function readRules(origin: string, how: Parameters<PageStatus>[1]): Promise<RobotsRules | null> {
    const url = `${origin}/robots.txt`;
    return quietly(async () => {
      const answer = await fetch({ url, accepts: WITHOUT_RULES }, { ...how, timeoutMs: TIMEOUT_MS });
      return answer.status === 200 ? reader.readRobots(answer.bytes, how.signal) : [];
    });
  }

  return async (url, how) => {
    const { rules } = await siteOf(new URL(url).origin, how);
    if (rules === null || !isAllowed(rules, url)) return 0;
    const answer = await quietly(() => fetch({ url, page: true }, { ...how, timeoutMs: TIMEOUT_MS }));
    return answer?.status ?? 0;
  };
}

function lettersOf(rules: RobotsRules | null | undefined): number {
  return (rules ?? []).reduce((sum, { pattern }) => sum + pattern.length, 0);
}

/** RFC 9309: a site that has no robots.txt, or does not show it, restricts nobody. 429 is a refusal for now. */
const WITHOUT_RULES = Array.from({ length: 100 }, (_, n) => 400 + n).filter((status) => status !== 429);

/** Null where the fetch fails: a page that cannot be asked for is no fault of the feed. */
async function quietly<Answer>(run: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FeedError) return null;
    throw error;
  }
}
