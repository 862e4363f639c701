import { z } from "zod";
import type { ScheduledCheck } from "#listening-api";
import type { Instant } from "../../lib/instant.ts";
import { decideCompleteness, decideInterval, pushedEveryMs } from "../common/decide-completeness.ts";
import type { FeedRead } from "../common/define-feed.ts";
import type { FeedGap, FetchEnd, LeasedFeed } from "../store/feeds.ts";
import type { LanguageCount } from "./count-languages.ts";
import { decideNext } from "./decide-next.ts";
import { notesOf } from "./feed-notes.ts";
import type { StoredPart } from "./store-items.ts";

/** New and changed items that one fetch stores; the next one goes on. */
export const MOST_STORED = 2_000;

/** A part of a fetch that was read and stored. */
export interface DonePart {
  readonly leased: LeasedFeed;
  /** The state that was committed last, and the one that the part has read up to. */
  readonly before: LeasedFeed["state"];
  readonly state: LeasedFeed["state"];
  readonly read: FeedRead;
  readonly readAt: Instant;
  /** When the stored items are asked for next that were asked for again. */
  readonly checks: readonly ScheduledCheck[];
  readonly languages: LanguageCount;
  readonly movedTo?: string | null;
  readonly stored: Omit<StoredPart, "isLast">;
  /** As many items could be stored at the most. */
  readonly room: number;
  /** No other part of the same fetch may follow. */
  readonly isLast: boolean;
  /** From 0 to 1. */
  readonly chance: number;
}

/**
 * What a fetch adds to the state of a feed: when it was read last, how often it is, if that is not as configured, and how
 * many items documents that broke off have brought since.
 */
const ReadState = z
  .object({
    readAt: z.number().nullable().default(null),
    readEveryMs: z.number().optional(),
    unproven: z.number().default(0),
    // The last document had no item: there is nothing that the next one could go on from.
    isEmpty: z.boolean().default(false),
    // Of a feed that is pushed: an unchanged document does not say it again.
    coversMs: z.number().nullable().default(null),
  })
  .catch({ readAt: null, unproven: 0, isEmpty: false, coversMs: null });

const TURNED_OVER =
  "none of the items of its document was known: it has turned over between two fetches, and items that it had meanwhile are missing";

/** Whether items are missing before a document, and how often it is read from now on. Pure. */
export function decideReading({ leased, before, read, readAt, stored }: DonePart): {
  readonly gap: FeedGap | null;
  readonly everyMs: number;
} {
  const { document, problem } = read;
  const { readEveryMs: beforeMs = leased.everyMs, ...last } = ReadState.parse(before);
  // An unchanged document says nothing new; the configuration may.
  if (document === undefined) return { gap: null, everyMs: Math.min(beforeMs, leased.everyMs) };
  const found = decideCompleteness({
    ...{ document, known: stored.known, added: stored.items },
    ...{ isBroken: problem !== undefined, unproven: last.unproven, now: readAt },
    readAt: last.isEmpty ? null : last.readAt,
  });
  const { coversMs } = document;
  return {
    gap: found.outcome === "Gap" ? { from: found.from, to: found.to, reason: TURNED_OVER } : null,
    everyMs: decideInterval(leased.everyMs, { coversMs, beforeMs, isGap: found.outcome === "Gap" }),
  };
}

/** How a part ends: where and when the next one goes on, and what people should know. Pure. */
export function decidePartEnd(
  part: DonePart,
  everyMs: number,
  isPushed: boolean,
): FetchEnd & { readonly goesOn: boolean; readonly leftOut: string | null } {
  const { leased, before, read, stored, room } = part;
  const coversMs = read.document?.coversMs ?? ReadState.parse(before).coversMs;
  const oftenMs = isPushed ? pushedEveryMs(everyMs, coversMs) : everyMs;
  const isFull = stored.left > 0 || stored.items >= room;
  const failures = read.problem === undefined ? 0 : leased.failures + 1;
  const retryAfterMs = read.pauseMs ?? null;
  return {
    state: {
      // What is left is read again from the same place, although the document is the same.
      ...(stored.left > 0 ? placeIn(before) : part.state),
      ...(stored.left + stored.waiting > 0 ? { validators: {} } : {}),
      ...readStateOf(part, everyMs),
      ...(isPushed && coversMs !== null ? { coversMs } : {}),
    },
    nextInMs: decideNext({ everyMs: oftenMs, failures, retryAfterMs, isFinal: false }, part.chance),
    problem: read.problem ?? null,
    goesOn: read.more === true && !part.isLast && !isFull,
    leftOut: describeLeftOut(read, stored.left, isFull),
    items: stored.added,
    matched: stored.matched,
    notes: notesOf({
      document: read.document ?? null,
      ...{ languages: part.languages, movedTo: part.movedTo },
      ...{ everyMs: oftenMs, configuredMs: leased.everyMs, isPushed },
    }),
  };
}

/** Where the last fetch had come to. How the feed is read is decided anew, and what it was before must not stay. */
function placeIn(state: LeasedFeed["state"]): LeasedFeed["state"] {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !DECIDED_ANEW.has(key)));
}

const DECIDED_ANEW = new Set(["readEveryMs", "unproven", "isEmpty"]);

function readStateOf({ leased, before, read, readAt, stored }: DonePart, everyMs: number) {
  const isRead = read.problem === undefined;
  const last = ReadState.parse(before);
  const unproven = isRead ? 0 : last.unproven + stored.added;
  const isEmpty = isRead && read.document !== undefined ? read.items.length === 0 : last.isEmpty;
  return {
    readAt: isRead ? readAt : last.readAt,
    ...(unproven === 0 ? {} : { unproven }),
    ...(isEmpty ? { isEmpty } : {}),
    ...(everyMs === leased.everyMs ? {} : { readEveryMs: everyMs }),
  };
}

/** What a fetch did not take, for people; null: nothing. */
function describeLeftOut(
  { leftOut = 0, more }: Pick<FeedRead, "leftOut" | "more">,
  left: number,
  isFull: boolean,
): string | null {
  const most = `wait for the next fetch: at most ${count(MOST_STORED)} are stored at once`;
  const sentences = [
    left > 0 ? `${count(left)} of its items ${most}` : [],
    left === 0 && isFull && more === true ? `other items of it ${most}` : [],
    leftOut > 0 ? `${count(leftOut)} older items of its document were left out` : [],
  ].flat();
  return sentences.length === 0 ? null : sentences.join("; ");
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}
