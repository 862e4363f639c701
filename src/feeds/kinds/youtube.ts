import { z } from "zod";
import { HttpAddress } from "../../lib/http-address.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import {
  defineFeed,
  type FeedItem,
  type FeedPart,
  type FeedRead,
  type FeedReader,
  FetchedKeys,
} from "../common/define-feed.ts";
import { FeedError } from "../common/feed-error.ts";

/** The newest videos of channels, with their descriptions. */
export const youtube = defineFeed({
  kind: "youtube",
  about: "New videos of YouTube channels, with their descriptions. No key is needed.",
  config: z.strictObject({
    kind: z.literal("youtube").describe("New videos of YouTube channels, with their descriptions."),
    ...FetchedKeys,
    channels: z
      .array(
        z
          .string()
          .regex(
            /^UC[\w-]{22}$/,
            "expected the id of a channel, UC and 22 more characters: the page of the channel has it under About, Share channel",
          ),
      )
      .min(1)
      .describe("Ids of channels. Example: [UC_x5XG1OV2P6uZZ5FSM9Ttw]"),
    baseUrl: HttpAddress.default("https://www.youtube.com/feeds/videos.xml").describe(
      "Address of the feeds, for a mirror or a test.",
    ),
  }),
  policy: {
    version: 1,
    storedCharacters: 1_000,
    sentOut: "title, an excerpt of the description, and link",
    deletesLearntBy: "a video that is missing among the newest 15 of its channel for half a day",
    terms: "the terms of YouTube",
  },
  pace: { everyMs: 2 * SECOND, atOnce: 1 },
  everyMs: 15 * MINUTE,
  pageType: "youtube",
  parts({ channels, baseUrl, name }) {
    const ids = [...new Set(channels)];
    return ids.map((id) => {
      const url = new URL(baseUrl);
      url.searchParams.set("channel_id", id);
      return { id, url: url.href, name: ids.length === 1 && name !== undefined ? name : `YouTube ${id}` };
    });
  },
  read: readChannel,
});

/** The videos that were listed last, and since when each is missing. */
const Cursor = z.object({
  videos: z.record(z.string(), z.object({ at: z.number(), missingSince: z.number().exactOptional() })),
});

/** The feed leaves out videos for a while now and then. */
const MISSING_MS = 12 * HOUR;

function* readChannel(part: FeedPart, _settings: unknown, stored: unknown, now: Instant): FeedReader {
  const [answer] = yield [{ url: part.url ?? "", accepts: [404], reads: "document" }];
  if (answer === undefined || answer.status === 404)
    throw new FeedError("there is no such channel, or YouTube does not find it for a while (status 404)");
  const { items, problem } = answer.document ?? { items: [], problem: null };
  // An answer that is not the feed of a channel says nothing of its videos.
  const listed = items.filter(({ id }) => id.startsWith("yt:video:"));
  const known = Cursor.safeParse(stored);
  const before = known.success ? known.data.videos : {};
  const isWhole = problem === null && listed.length > 0;
  const { videos, gone } = isWhole ? compare(before, listed, now) : { videos: before, gone: [] };
  return {
    items: listed,
    // Nobody has said so: some videos come back.
    deletes: gone.map((id) => ({ id, reason: "its channel does not show it any more", mayReturn: true })),
    cursor: { videos },
    ...(problem === null ? {} : { problem }),
  };
}

/** Older videos leave the list as new ones come; one that stands in the middle does not. */
function compare(
  before: z.output<typeof Cursor>["videos"],
  listed: readonly FeedItem[],
  now: Instant,
): { videos: z.output<typeof Cursor>["videos"]; gone: FeedRead["deletes"][number]["id"][] } {
  const dates = listed.map(({ id, publishedAt }) => [id, publishedAt ?? 0] as const);
  const oldest = Math.min(...dates.map(([, at]) => at));
  const videos: z.output<typeof Cursor>["videos"] = Object.fromEntries(dates.map(([id, at]) => [id, { at }]));
  const gone: string[] = [];
  for (const [id, { at, missingSince = now }] of Object.entries(before)) {
    if (videos[id] !== undefined || at <= oldest) continue;
    if (now - missingSince >= MISSING_MS) gone.push(id);
    else videos[id] = { at, missingSince };
  }
  return { videos, gone };
}
