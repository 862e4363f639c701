import { formatDuration } from "../../../lib/duration.ts";
import { HOUR, MINUTE, SECOND, toIso } from "../../../lib/instant.ts";
import { nameSome, sentence } from "../../../lib/text.ts";
import type { HealthProblem } from "../../model/operator-rules.ts";
import type { FeedHealth } from "../../model/pipeline-facts.ts";
import type { HealthCheck } from "../define-check.ts";
import { upSinceOutage } from "../pipeline-health.ts";

/** Silent feeds that are reported: some each by itself, and the others together. */
interface FeedsVerdict {
  readonly alone: readonly { readonly feed: FeedHealth; readonly forMs: number; readonly because: string }[];
  readonly together: { readonly feeds: number; readonly forMs: number; readonly because: string } | null;
}

/** Identifies the alert of those that are reported together, beside the keys of feeds. */
const MANY_FEEDS = "many";
/** More than this at once have one cause. */
const MOST_ALONE = 5;
/** After a start or an outage, feeds need time to be fetched again. */
const SETTLES_MS = 15 * MINUTE;

/**
 * Which silent feeds are reported. A feed with an open alert keeps it as long as it is silent. `open`: the keys of these
 * feeds, and MANY_FEEDS; `explained`: it is known that no process works, so that nobody fetches.
 */
function checkSilentFeeds(
  feeds: readonly FeedHealth[],
  terms: { readonly open: ReadonlySet<string>; readonly explained: boolean; readonly upForMs: number },
): FeedsVerdict {
  const { open, explained, upForMs } = terms;
  const silent = feeds.flatMap((feed) =>
    feed.silentForMs === null ? [] : [{ feed, forMs: feed.silentForMs }],
  );
  const known = silent.filter(({ feed }) => open.has(feed.key));
  const isNew = upForMs >= SETTLES_MS || open.has(MANY_FEEDS);
  const others = silent
    .filter(({ feed }) => isNew && !open.has(feed.key))
    .filter(({ feed }) => !(explained && isUnfetched(feed)));
  const isMany = others.length > 0 && known.length + others.length > MOST_ALONE;
  const alone = (isMany ? known : [...known, ...others]).map((one) => ({ ...one, because: describe(one) }));
  if (!isMany) return { alone, together: null };
  const names = nameSome(others.map(({ feed }) => feed.name));
  const forMs = Math.max(...others.map((one) => one.forMs));
  const [first] = others.map(({ feed }) => feed.why).filter((why) => why !== null);
  const one = first === undefined ? "" : ` One of them: ${sentence(first)}`;
  return {
    alone,
    together: {
      feeds: others.length,
      forMs,
      because: `nothing comes from ${others.length} of ${feeds.filter(({ state }) => state !== "open").length} feeds: ${names}. The first fell silent ${formatDuration(forMs)} ago.${one} So many at once have one cause: look whether this machine reaches the internet, and whether a process with the role poll runs. ${CATCHES_UP}. earshot feeds shows each of them`,
    },
  };
}

const CATCHES_UP = "Earshot goes on trying, and reads what the servers still have then";

/** Nobody fetches it: its server is not at fault. */
function isUnfetched({ state }: FeedHealth): boolean {
  return state === "late" || state === "waiting";
}

function describe({ feed, forMs }: { readonly feed: FeedHealth; readonly forMs: number }): string {
  const { name, state, why, everyMs, receivedAgoMs } = feed;
  const answered =
    receivedAgoMs === null
      ? `no answer since it was added ${formatDuration(forMs)} ago`
      : `last answer ${formatDuration(receivedAgoMs)} ago`;
  const expected = everyMs === null ? "" : `, expected every ${formatDuration(everyMs)}`;
  const begin = `nothing comes from the feed ${nameSome([name])}: ${answered}${expected}.`;
  const reason = why === null ? "" : ` The reason: ${sentence(why)}`;
  if (state === "gone") return `${begin}${reason}`;
  if (isUnfetched(feed))
    return `${begin}${reason} Start one, or look at its log. Then Earshot reads what the server still has`;
  const hint =
    everyMs === null
      ? "If other feeds work, the fault is at the server: name another one under hosts"
      : "earshot feeds try asks its server now and prints the answer; if the address has changed, correct it in earshot.yaml";
  return `${begin}${reason} ${CATCHES_UP}. ${hint}`;
}

/** A gap is known only after it; its alert stays open for so long, so that people still see it. */
const GAP_STANDS_MS = HOUR;
/** Less is a single event that was left out. */
const SHORTEST_GAP_MS = SECOND;

/** What was lost of a stream, as it was noticed a short while ago; null: nothing. */
function checkFeedGap({ name, gap }: FeedHealth): string | null {
  if (gap === null || gap.noticedAgoMs > GAP_STANDS_MS || gap.to - gap.from < SHORTEST_GAP_MS) return null;
  return `posts of ${formatDuration(gap.to - gap.from)} are lost from the feed ${nameSome([name])}, from ${toIso(gap.from)} to ${toIso(gap.to)}. The reason: ${sentence(gap.reason)} Nothing brings them back, and no alert comes about them. The feed works again. Servers keep a stream for a day or two at most: look why Earshot or its network was away for so long`;
}

/** Feeds that are silent or lost something. Where nobody does any work, nobody fetches either. */
export const feedCheck: HealthCheck = (health, _settings, found) => {
  const explained = found.some(({ rule }) => rule === "queue-stands-still");
  const { feeds, silentFeeds: open, now } = health;
  const { alone, together } = checkSilentFeeds(feeds, { open, explained, upForMs: upSinceOutage(health) });
  const silent = [
    ...alone.map(({ feed, ...one }) => ({ ...one, labels: { feed: feed.name, feedId: feed.key }, feeds: 1 })),
    ...(together === null ? [] : [{ ...together, labels: { feed: MANY_FEEDS, feedId: MANY_FEEDS } }]),
  ];
  const gaps = feeds.flatMap((feed): HealthProblem[] => {
    const because = checkFeedGap(feed);
    if (because === null || feed.gap === null) return [];
    const { from, to, noticedAgoMs } = feed.gap;
    const labels = { feed: feed.name, feedId: feed.key };
    return [{ rule: "feed-gap", labels, since: now - noticedAgoMs, because, values: { lostMs: to - from } }];
  });
  return [
    ...silent.map(
      ({ labels, forMs, because, feeds }): HealthProblem => ({
        ...{ rule: "feed-silent", labels, since: now - forMs, because },
        values: { feeds, forMs },
      }),
    ),
    ...gaps,
  ];
};
