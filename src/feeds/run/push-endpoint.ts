import { timingSafeEqual } from "node:crypto";
import type { ReceiveResult } from "#listening-api";
import { describeError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hashes.ts";
import type { Logger } from "../../lib/log.ts";
import type { FeedRead } from "../common/define-feed.ts";
import type { PlannedFeed } from "./plan-feeds.ts";

interface PushAnswer {
  readonly status: 200 | 400 | 401 | 503;
  readonly body: object;
}

export interface PushEndpoint {
  /** Whether any feed takes what is pushed. */
  readonly isOpen: boolean;
  /** Whether a push feed has this token. */
  knows(token: string): boolean;
  /** `token` is what the sender showed. Never rejects. */
  take(token: string, body: unknown): Promise<PushAnswer>;
  /** For a sender that the console knows: `name` is a feed's; null is enough where there is one. Never rejects. */
  takeFor(name: string | null, body: unknown): Promise<PushAnswer>;
}

/** Takes what other programs post. A repeated post stores nothing twice, so that a sender may try again. */
export function createPushEndpoint(parts: {
  readonly feeds: readonly PlannedFeed[];
  readonly receive: (feed: PlannedFeed, read: Pick<FeedRead, "items" | "deletes">) => Promise<ReceiveResult>;
  readonly log: Pick<Logger, "error">;
}): PushEndpoint {
  const open = parts.feeds.flatMap((feed) => {
    const { settings, definition } = feed;
    return "token" in settings && definition.receive !== undefined
      ? [{ feed, receive: definition.receive, token: sha256(settings.token) }]
      : [];
  });
  const find = (token: string) => {
    const shown = sha256(token);
    return open.find((one) => timingSafeEqual(one.token, shown));
  };
  const receive = async (found: (typeof open)[number], body: unknown): Promise<PushAnswer> => {
    const { refused, ...read } = found.receive(body, found.feed.part);
    if (read.items.length + read.deletes.length === 0)
      return refusal(400, refused.length > 0 ? refused : ["there is no mention in it"]);
    try {
      const received = await parts.receive(found.feed, read);
      return { status: 200, body: { ...received, refused } };
    } catch (error) {
      parts.log.error(
        { feed: found.feed.name, error: describeError(error) },
        "pushed mentions were not stored",
      );
      return refusal(503, ["not all of it was stored; send it again a little later"]);
    }
  };
  return {
    isOpen: open.length > 0,
    knows: (token) => find(token) !== undefined,
    async take(token, body) {
      const found = find(token);
      if (found === undefined)
        return refusal(401, ["show the token of a push feed: Authorization: Bearer TOKEN"]);
      return receive(found, body);
    },
    async takeFor(name, body) {
      const named = open.filter(({ feed }) => name === null || feed.name === name);
      const [found] = named;
      if (found !== undefined && named.length === 1) return receive(found, body);
      const names = open.map(({ feed }) => feed.name).join(", ");
      return refusal(400, [`say for which feed it is, as /feeds/push?feed=NAME: ${names}`]);
    },
  };
}

function refusal(status: 400 | 401 | 503, errors: readonly string[]): PushAnswer {
  return { status, body: { errors: errors.slice(0, 20).map((message) => ({ message })) } };
}
