import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Database } from "#listening-api";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { Logger } from "../../lib/log.ts";
import { plainLine } from "../../lib/text.ts";
import type { FeedHub, FeedRead } from "../common/define-feed.ts";
import { FeedError } from "../common/feed-error.ts";
import {
  askedHub,
  claimHub,
  dropHubLease,
  endHubLease,
  findHub,
  grantHubLease,
  makeFeedDue,
  notePushed,
  type SubscribedHub,
} from "../store/hubs.ts";
import type { FetchFeed } from "./fetch-feed.ts";
import type { ForeignReader } from "./open-reader.ts";
import { type PlannedFeed, proxyOf } from "./plan-feeds.ts";

/** Where hubs call, below the address of the console. */
const HUB_PATH = "/feeds/websub/";
/** For how long a hub is asked to push, and what counts of its answer. */
const ASKED_LEASE_MS = 10 * DAY;
const LEASE_MS = { least: 5 * MINUTE, most: 30 * DAY };
/** Until a hub that does not answer is asked again; longer each time. */
const RETRY_MS = HOUR;

interface HubAnswer {
  readonly status: number;
  readonly body: string;
}

/** What hubs call: a public route of the console. Never rejects. */
export interface HubEndpoint {
  /** Asked before a byte of a body is read. Null: this is the id of a subscription. */
  refuse(id: string): Promise<HubAnswer | null>;
  /** A hub asks whether we asked for this, or says that it does not push. */
  verify(id: string, question: unknown): Promise<HubAnswer>;
  /** A hub pushes a document. */
  take(id: string, pushed: PushedDocument): Promise<HubAnswer>;
  /** A hub pushes more than is read. */
  fetchInstead(id: string): Promise<void>;
}

interface PushedDocument {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string | null;
  /** The header `X-Hub-Signature`. */
  readonly signature: string | null;
}

/** Of a subscription that does not exist yet: what only its hub will know. */
export function newSubscription(): { readonly id: string; readonly secret: string } {
  const random = () => randomBytes(32).toString("base64url");
  return { id: random(), secret: random() };
}

/** A secret goes to a hub: in clear only where the feed itself may be on this machine. */
export function maySubscribe({ url }: FeedHub, feed: PlannedFeed): boolean {
  return feed.settings.allowPrivateAddress || new URL(url).protocol === "https:";
}

/**
 * Subscribes to feeds at their hubs (WebSub, W3C 2018). A hub that is asked to push calls back and asks whether that was us;
 * what it pushes is signed with a secret of the subscription, and read in a thread like an answer of the feed itself.
 */
export function createWebSub(parts: {
  readonly db: Database;
  readonly projectId: number;
  readonly feeds: readonly PlannedFeed[];
  readonly fetch: FetchFeed["fetch"];
  readonly reader: Pick<ForeignReader, "readAnswer">;
  readonly receive: (feed: PlannedFeed, read: Pick<FeedRead, "items" | "deletes">) => Promise<unknown>;
  /** The address of the console, for hubs. */
  readonly callback: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly signal: AbortSignal;
}): { readonly endpoint: HubEndpoint; readonly subscribeNext: () => Promise<boolean> } {
  const { db, projectId, log, signal } = parts;
  const byKey = new Map(parts.feeds.map((feed) => [feed.key, feed]));
  const callback = parts.callback.replace(/\/$/, "");

  /** Asks one hub that is due. False: none is. */
  async function subscribeNext(): Promise<boolean> {
    const due = await claimHub(db, projectId, [...byKey.keys()], { callback, retryMs: RETRY_MS });
    const feed = due === null ? undefined : byKey.get(due.key);
    if (due === null || feed === undefined) return false;
    const form = {
      "hub.mode": "subscribe",
      "hub.topic": due.topic,
      "hub.callback": `${callback}${HUB_PATH}${due.id}`,
      "hub.secret": due.secret,
      "hub.lease_seconds": String(ASKED_LEASE_MS / SECOND),
    };
    const { allowPrivateAddress } = feed.settings;
    const how = { allowPrivateAddress, signal, ...proxyOf(feed.settings) };
    try {
      await parts.fetch({ url: due.hub, form, accepts: [202, 204] }, how);
      await askedHub(db, projectId, due.key, null);
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      log.info({ feed: feed.name, problem: error.message }, "the hub of a feed was asked in vain");
      await askedHub(db, projectId, due.key, error.message);
    }
    return true;
  }

  async function verify(id: string, question: unknown): Promise<HubAnswer> {
    const hub = await findHub(db, projectId, id);
    const parsed = Question.safeParse(question);
    if (hub === null || !parsed.success || parsed.data["hub.topic"] !== hub.topic) return NOT_FOUND;
    const {
      "hub.mode": mode,
      "hub.challenge": challenge,
      "hub.lease_seconds": seconds,
      "hub.reason": reason,
    } = parsed.data;
    if (mode === "denied") {
      await endHubLease(db, id, plainLine(`its hub does not push it: ${reason}`, 300));
      return { status: 200, body: "" };
    }
    if (mode !== "subscribe" || challenge === "" || !hub.isAsked || !hub.isConfigured) return NOT_FOUND;
    const leaseMs = Math.min(LEASE_MS.most, Math.max(LEASE_MS.least, seconds * SECOND));
    await grantHubLease(db, id, leaseMs);
    log.info({ feed: byKey.get(hub.key)?.name }, "the hub of a feed pushes it from now on");
    return { status: 200, body: challenge };
  }

  async function take(id: string, pushed: PushedDocument): Promise<HubAnswer> {
    const hub = await findHub(db, projectId, id);
    const feed = hub === null ? undefined : byKey.get(hub.key);
    if (hub === null) return NOT_FOUND;
    // So that the hub ends the subscription.
    if (feed === undefined || !hub.isConfigured) {
      await dropHubLease(db, id);
      return { status: 410, body: "not subscribed any more\n" };
    }
    if (!isSigned(pushed, hub)) {
      log.warn(
        { feed: feed.name },
        "a document was pushed without the signature of its hub, and is not read",
      );
      // Whoever tries signatures learns nothing.
      return ACCEPTED;
    }
    try {
      const found = await read(feed, hub, pushed);
      await parts.receive(feed, found);
      await notePushed(db, id);
      if (found.problem !== undefined) throw new FeedError(found.problem);
    } catch (error) {
      log.info({ feed: feed.name, problem: describeError(error) }, "a pushed document is fetched instead");
      await makeFeedDue(db, projectId, hub.key);
    }
    return ACCEPTED;
  }

  /** What a fetch would have brought, if this had been the answer. */
  async function read(feed: PlannedFeed, hub: SubscribedHub, pushed: PushedDocument): Promise<FeedRead> {
    const header = (name: string) => (name === "content-type" ? pushed.contentType : null);
    const raw = { status: 200, url: hub.base, header, bytes: pushed.bytes };
    const answer = await parts.reader.readAnswer(raw, "document", signal);
    const reading = feed.definition.read?.(feed.part, feed.settings, null as JsonValue, parts.clock.now());
    if (reading === undefined) throw new FeedError("it is not fetched");
    reading.next([]);
    const step = reading.next([answer]);
    if (step.done !== true) throw new FeedError("it is no single document");
    return step.value;
  }

  const quietly = async <Answer>(work: () => Promise<Answer>): Promise<Answer | HubAnswer> => {
    try {
      return await work();
    } catch (error) {
      log.warn({ error: describeError(error) }, "a call of a hub could not be answered");
      return { status: 503, body: "try again\n" };
    }
  };
  return {
    subscribeNext,
    endpoint: {
      refuse: (id) => quietly(async () => ((await findHub(db, projectId, id)) === null ? NOT_FOUND : null)),
      verify: (id, question) => quietly(() => verify(id, question)),
      take: (id, pushed) => quietly(() => take(id, pushed)),
      async fetchInstead(id) {
        await quietly(async () => {
          const hub = await findHub(db, projectId, id);
          if (hub !== null) await makeFeedDue(db, projectId, hub.key);
        });
      },
    },
  };
}

const NOT_FOUND: HubAnswer = { status: 404, body: "nothing was asked for here\n" };
const ACCEPTED: HubAnswer = { status: 202, body: "" };

const Question = z.object({
  "hub.mode": z.enum(["subscribe", "unsubscribe", "denied"]),
  "hub.topic": z.string().max(2_000),
  "hub.challenge": z.string().max(2_000).catch(""),
  "hub.lease_seconds": z.coerce
    .number()
    .positive()
    .catch(DAY / SECOND),
  "hub.reason": z.string().max(2_000).catch("it says no reason"),
});

const SIGNATURE = /^(sha1|sha256|sha384|sha512)=([0-9a-f]{40,128})$/i;

function isSigned({ bytes, signature }: PushedDocument, { secret }: Pick<SubscribedHub, "secret">): boolean {
  const [, method = "", given = ""] = SIGNATURE.exec(signature?.trim() ?? "") ?? [];
  if (method === "") return false;
  const right = createHmac(method.toLowerCase(), secret).update(bytes).digest();
  const shown = Buffer.from(given, "hex");
  return shown.length === right.length && timingSafeEqual(shown, right);
}
