import robots from "robots-parser";
import { monotonicMs } from "../../lib/clock.ts";
import { DAY, HOUR } from "../../lib/instant.ts";
import { FeedError } from "./define-feed.ts";
import type { FetchFeed } from "./fetch-feed.ts";

/** With which status a page for people answers; 0: it did not answer, or its site does not want programs to ask. */
export type PageStatus = (
  url: string,
  how: { readonly allowPrivateAddress: boolean; readonly signal: AbortSignal },
) => Promise<number>;

/** Its types are those of an ES module, which it is not. */
const robotsParser = robots as unknown as typeof robots.default;

/** By this name a robots.txt can address us; it is the beginning of our User-Agent. */
const OUR_NAME = "Earshot";
/** RFC 9309: a robots.txt is used for a day at most. */
const KEPT_MS = DAY;
const RETRY_MS = HOUR;
const MOST_SITES = 1_000;
/** RFC 9309 wants 500 KiB to be read. */
const LONGEST_ROBOTS = 512_000;

/** Asks for the status of pages as the robots.txt of their sites allows (RFC 9309). Remembers those for a day. */
export function createPageStatus(fetch: FetchFeed["fetch"]): PageStatus {
  const sites = new Map<string, { readonly until: number; readonly allows: (url: string) => boolean }>();

  async function siteOf(origin: string, how: Parameters<PageStatus>[1]) {
    const known = sites.get(origin);
    if (known !== undefined && known.until > monotonicMs()) return known;
    const allows = await readRobots(origin, how);
    const site = {
      until: monotonicMs() + (allows === null ? RETRY_MS : KEPT_MS),
      // A site whose rules cannot be read is left alone.
      allows: allows ?? (() => false),
    };
    sites.delete(origin);
    sites.set(origin, site);
    const [oldest] = sites.keys();
    if (sites.size > MOST_SITES && oldest !== undefined) sites.delete(oldest);
    return site;
  }

  /** Null: its rules cannot be known now. */
  async function readRobots(
    origin: string,
    how: Parameters<PageStatus>[1],
  ): Promise<((url: string) => boolean) | null> {
    const url = `${origin}/robots.txt`;
    const answer = await quietly(() => fetch({ url, accepts: WITHOUT_RULES }, how));
    if (answer === null) return null;
    if (answer.status !== 200) return () => true;
    const rules = robotsParser(url, answer.body.slice(0, LONGEST_ROBOTS));
    return (page) => rules.isAllowed(page, OUR_NAME) !== false;
  }

  return async (url, how) => {
    const site = await siteOf(new URL(url).origin, how);
    if (!site.allows(url)) return 0;
    const answer = await quietly(() => fetch({ url, page: true }, how));
    return answer?.status ?? 0;
  };
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
