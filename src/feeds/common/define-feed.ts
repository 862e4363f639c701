import { z } from "zod";
import { durationBetween } from "../../lib/duration.ts";
import type { Issue } from "../../lib/errors.ts";
import { HttpAddress } from "../../lib/http-address.ts";
import { DAY, type Instant, MINUTE } from "../../lib/instant.ts";
import type { JsonObject, JsonValue } from "../../lib/json.ts";
import { parseUrl } from "../../lib/parse-url.ts";
import type { ReceivedMail } from "./mail.ts";

/** What the terms of a source and the law ask of whoever stores its posts. Data: nothing outside asks for the kind. */
interface FeedPolicy {
  /** Raised with every change, and stored with each item: an audit asks what was allowed then. */
  readonly version: number;
  /** How much of a text is stored, in UTF-16 code units; null: all of it. Queries see the whole text when it arrives. */
  readonly storedCharacters: number | null;
  /** What may stand in messages, for people. */
  readonly sentOut: string;
  /** How deletes are learnt, for people. */
  readonly deletesLearntBy: string;
  /** Whose terms apply, for people. */
  readonly terms: string;
}

/** How a host may be asked, by all feeds and processes together. */
interface FeedPace {
  /** Between the beginnings of two requests, in milliseconds. */
  readonly everyMs: number;
  /** Requests of one feed that run at the same time. */
  readonly atOnce: number;
}

/** One thing that is fetched by itself: an address, a tag, a site. It has its own schedule and cursor. */
export interface FeedPart {
  /** Unique among the parts of its kind, the same after a restart. */
  readonly id: string;
  /** For people, such as an address without a scheme. */
  readonly name: string;
  /** The first address that is asked. Null: it is not fetched, others push to it. */
  readonly url: string | null;
  /** For kinds that search: what they ask for, in the language of the source. */
  readonly searches?: readonly string[];
}

/** An item as its feed has it. Everything in it is hostile. */
export interface FeedItem {
  /** Unique within `scope`, as the source names it. */
  readonly id: string;
  /** Where ids are unique. Default: the kind. */
  readonly scope?: string;
  /** For kinds with `recheck`: how the item is asked for, if not by its id. */
  readonly reference?: string;
  readonly url: string | null;
  readonly title: string | null;
  /** Plain text, or HTML, which becomes text. A document is read in a thread, and has made text of it there. */
  readonly body: { readonly text: string } | { readonly html: string } | null;
  readonly publishedAt: Instant | null;
  /** For a source that says how long ago it was, in milliseconds before the fetch. */
  readonly publishedAgoMs?: number;
  /** The handle or name that goes for the author, and the full name where it is another one. */
  readonly author: string | null;
  readonly fullname?: string | null;
  /** Title of the site or channel. */
  readonly site?: string | null;
  readonly language?: string | null;
  /** Name of the country of the site, in English. */
  readonly country?: string | null;
  readonly pageType?: string;
  readonly isReply?: boolean;
  /** As counted when it was read. A mention has it where its network has fields for it; alone it is no edit. */
  readonly engagement?: {
    readonly likes?: number | undefined;
    readonly comments?: number | undefined;
    readonly shares?: number | undefined;
  };
  /** The native id of the account that wrote it: when the account is removed, its items go, too. */
  readonly authorId?: string;
  /** Rises with every change of the item: an older version that comes late does not replace a newer one. An integer. */
  readonly revision?: number;
}

/** What a fetch has brought. */
export interface FeedRead {
  readonly items: readonly FeedItem[];
  /** Items that their source has deleted, also ones that were never received. */
  readonly deletes: readonly {
    readonly id: string;
    readonly scope?: string;
    readonly reason: string;
    /** Under which key it is stored, where that is known: its scope is not asked then. */
    readonly idKey?: string;
    /** Nobody has said so, it was only seen to be gone: for a week it comes back if its feed shows it again. */
    readonly mayReturn?: boolean;
  }[];
  /** Where the next fetch goes on. Any JSON. */
  readonly cursor: JsonValue;
  /** There is more to fetch at once. */
  readonly more?: boolean;
  /** What was wrong although items came: a document that breaks off. It is then fetched whole again. */
  readonly problem?: string | undefined;
  /** How long the host wants to be left alone although all went well, in milliseconds. */
  readonly pauseMs?: number;
  /** Items of a document that are older than as many as are read of it. */
  readonly leftOut?: number;
  /** For kinds that read a document which lists its newest items. */
  readonly document?: ListedDocument;
  /** The hub that its document names, which pushes what is new of it (WebSub); null: it names none. Absent: not read. */
  readonly hub?: FeedHub | null;
}

/** Where changes of a document are announced. */
export interface FeedHub {
  readonly url: string;
  /** The address by which the hub knows the document. */
  readonly topic: string;
  /** The address that answered with it: links in it begin there, also where it is pushed. */
  readonly base: string;
}

/**
 * A feed that is one open connection (WebSocket), held by one process at a time. Its functions are pure. Positions are
 * microseconds since 1970 as the host counts them, or any other rising number below 10¹⁵.
 */
interface FeedStream<Settings> {
  /** Where it may be opened, the preferred one first: wss:// addresses. */
  readonly hosts: (settings: Settings) => readonly string[];
  /** The address to open. `from`: the first position that is wanted, included; null: from now on. */
  readonly address: (host: string, from: number | null, limits: { readonly maxFrameBytes: number }) => string;
  /** What the frames say, in any order and with any of them twice. Never throws: what it cannot read it counts. */
  readonly read: (frames: readonly string[], now: Instant) => StreamRead;
  /** Whether frames may be compressed on the way. */
  readonly isCompressed: (settings: Settings) => boolean;
}

/** What a batch of frames has brought. For an item that comes and goes in it, only the end counts. */
export interface StreamRead {
  readonly items: readonly StreamItem[];
  readonly deletes: FeedRead["deletes"];
  /** Accounts that are gone with all that they wrote, and accounts that are there again, applied in this order. */
  readonly removedAuthors: readonly { readonly authorId: string; readonly reason: string }[];
  readonly restoredAuthors: readonly string[];
  /** Positions of the frames that have one, in their order. */
  readonly positions: readonly number[];
  /** Frames that say nothing that is known. */
  readonly unread: number;
}

export interface StreamItem extends FeedItem {
  /** It changes an item that may be stored. */
  readonly isEdit: boolean;
}

export interface FeedRequest {
  readonly url: string;
  /** The fields of a form that is posted there. It follows no redirect. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ask whether it has changed since the last time; the answer may be 304 without a body. */
  readonly conditional?: boolean;
  /** Statuses that are answers to the reader and no failures, besides 200 and 304. */
  readonly accepts?: readonly number[];
  /** The longest answer, in bytes, also unpacked. Default: that of all fetches. */
  readonly maxBytes?: number;
  /**
   * A page for people: asked for only as its site's robots.txt allows, and only its status is read. The status is 0 where
   * no answer came.
   */
  readonly page?: boolean;
  /**
   * What its answer is: a feed document, JSON, or JSON that may have line ends and lonely backslashes in its texts.
   * Default: JSON.
   */
  readonly reads?: "document" | "json" | "loose json";
}

/** An answer that was read in a thread, within bounds: what comes back is small enough for the loop. */
export interface FeedAnswer {
  readonly status: number;
  /** The address that answered, after redirects. */
  readonly url: string;
  /** Undefined if it is no JSON. */
  readonly json: unknown;
  /** The items of a feed document; null if it is none. */
  readonly document: FeedDocument | null;
  /** The beginning of its text. */
  readonly start: string;
  readonly header: (name: string) => string | null;
}

export interface FeedDocument {
  /** The newest ones, if they are too many. */
  readonly items: readonly FeedItem[];
  /** The items that are older. */
  readonly leftOut: number;
  /** What was wrong although items were read. */
  readonly problem: string | null;
  /** How long a text of it is: the middle one of all, in characters; null: it has no items. */
  readonly usualLength: number | null;
  /** The addresses that it names as its hub and as its own; null: it names none. */
  readonly links: { readonly hub: string | null; readonly self: string | null };
}

/** A document that a feed has read: what shows whether it brings everything. */
export interface ListedDocument {
  /** The time between its oldest and its newest item, in milliseconds; null: fewer than two have dates. */
  readonly coversMs: number | null;
  readonly oldestAt: Instant | null;
  readonly usualLength: number | null;
}

/**
 * Reads a feed: yields requests, gets their answers in the same order, returns what they say. Pure: the same answers
 * give the same result. A request that fails ends it with an error, and the next fetch begins at the same cursor; what
 * an answer says wrongly it reports with a `FeedError`.
 */
export type FeedReader = Generator<readonly FeedRequest[], FeedRead, readonly FeedAnswer[]>;

/** An item that is stored, as its source names it. */
export interface StoredItem {
  readonly id: string;
  /** Null: by its id. */
  readonly reference: string | null;
  /** Since it was received first. */
  readonly ageMs: number;
}

/** Stored items that were checked again: the edited ones are items, those of which the source says that they are deleted, deletes. */
export interface RecheckResult extends Pick<FeedRead, "items" | "deletes" | "pauseMs"> {
  /**
   * Items that are not there, although the source does not say that they were deleted: `decideDelete` decides.
   * `isSiteThere`: something else of the same site, which must exist, did answer.
   */
  readonly gone?: readonly { readonly id: string; readonly reason: string; readonly isSiteThere: boolean }[];
  /** The items about which nothing was learnt; they are asked for again soon. */
  readonly unanswered?: readonly StoredItem[];
}

/** Asks for stored items again. */
export type Recheck = Generator<readonly FeedRequest[], RecheckResult, readonly FeedAnswer[]>;

export interface CollectParts {
  readonly now: Instant;
  readonly signal: AbortSignal;
  /** Longest silence of a server. */
  readonly timeoutMs: number;
  /** Called now and then while it works. Throws if the feed is no longer ours. */
  readonly hold: () => Promise<void>;
  /**
   * Stores that something of this name is read now, and gives how often that has begun without an end, this time
   * included. Throws if the feed is no longer ours.
   */
  readonly beginReading: (name: string) => Promise<number>;
  /** Reads a mail in a thread. Throws an UnreadableError if that takes too long or too much memory. */
  readonly readMail: (mail: ReceivedMail, signal: AbortSignal) => Promise<readonly FeedItem[]>;
}

/** What a kind may know besides its own settings. */
export interface FeedContext {
  /** The configured queries, for feeds that search. */
  readonly queries: readonly { readonly name: string; readonly text: string }[];
  /** A file beside the configuration. Throws a UserError. */
  readonly readFile: (path: string) => string;
}

/** The keys of every feed in `earshot.yaml`. */
export const FeedKeys = {
  name: z
    .string()
    .min(1)
    .max(100)
    .exactOptional()
    .describe("Name of the feed, for lists. Default: what it reads."),
  every: durationBetween(MINUTE, 7 * DAY)
    .exactOptional()
    .describe("How often it is fetched, 1 minute or longer. Each kind has a default. Example: 15m"),
  allowPrivateAddress: z
    .boolean()
    .default(false)
    .describe(
      "Whether it may be on this machine or in the local network. Otherwise such addresses are refused.",
    ),
};

/** The keys of every kind whose feeds are fetched over HTTP. */
export const FetchedKeys = {
  ...FeedKeys,
  proxy: z
    .strictObject({
      url: HttpAddress.refine((url) => (parseUrl(url)?.username ?? "") === "", {
        error: "expected user and password beside the address, not in it",
      }).describe("Its address. Example: http://proxy.example:3128"),
      user: z.string().min(1).exactOptional().describe("Name of the account, if it asks for one."),
      password: z
        .string()
        .min(1)
        .exactOptional()
        .meta({ description: 'Its password. Example: "${PROXY_PASSWORD}"', writeOnly: true }),
    })
    .exactOptional()
    .describe(
      "A proxy that everything of this feed is fetched through, by CONNECT. Example: { url: http://proxy.example:3128 }",
    ),
};

/** A proxy, as people configure it. */
export type FeedProxy = NonNullable<z.output<typeof FetchedKeys.proxy>>;

type FeedSettings = {
  readonly kind: string;
  readonly name?: string;
  readonly every?: number;
  readonly allowPrivateAddress: boolean;
  readonly proxy?: FeedProxy;
};

/** A brand that somebody begins to listen for. */
export interface ProposedBrand {
  /** Names of the queries; the first one is the brand's. */
  readonly queries: readonly string[];
  /** What people call the brand, as they write it: "acme corp", acmecorp, @acme. */
  readonly spellings: readonly string[];
  /** Two letters each; empty for any. */
  readonly languages: readonly string[];
}

/** A kind of feed: one file, one line in `kinds.ts`, the contract suite. */
export interface FeedKind<Settings extends FeedSettings = FeedSettings> {
  readonly kind: string;
  /** The keys of a feed of this kind: `FeedKeys` or `FetchedKeys`, `kind` as a literal, and its own. */
  readonly config: z.ZodType<Settings>;
  /** One sentence for help and pages. */
  readonly about: string;
  /**
   * The keys with which `earshot listen` proposes it for a brand, besides `kind`. None of them may need a vendor's
   * account. Null: it is not proposed. Without this, it is proposed if `kind` alone is valid.
   */
  readonly propose?: (brand: ProposedBrand) => JsonObject | null;
  readonly policy: FeedPolicy;
  readonly pace: FeedPace;
  /** Between two fetches, unless the configuration has `every`. */
  readonly everyMs: number;
  /**
   * Shortest time between two stored changes of an item, for documents that have a counter or the time in every item.
   * Default: 0, each change counts.
   */
  readonly editedEveryMs?: number;
  /**
   * Its items are also known by the path of their page and their date: feeds move to other hosts, and give their items new
   * ids and titles. Default: no.
   */
  readonly findsByLink?: boolean;
  /** Page type of its items, unless an item or its site has one. */
  readonly pageType: string;
  /** Faults that show only beside the other parts of the file. Paths begin at the feed. */
  readonly faults?: (settings: Settings, context: Pick<FeedContext, "queries">) => readonly Issue[];
  /** For kinds whose other keys choose what is taken of a part: the fault of a feed that has a part of one before it. */
  readonly sharedPart?: (settings: Settings) => Issue;
  /** Faults that the schema cannot see. Throws a UserError. */
  readonly parts: (settings: Settings, context: FeedContext) => readonly FeedPart[];
  /** For kinds that are fetched. `cursor` is that of the last read, or null; it may be of an older version. */
  readonly read?: (part: FeedPart, settings: Settings, cursor: JsonValue, now: Instant) => FeedReader;
  /**
   * For kinds that do not learn of deletes otherwise: after a fetch, at most `most` stored items are asked for again,
   * those first that have waited longest. An item that is not there is `gone`, one that is not shown for another reason
   * (a login, an outage) `unanswered`.
   */
  readonly recheck?: {
    readonly most: number;
    /** It asks for pages of any site, which takes long: that has a queue of its own, beside the fetches. */
    readonly asksPages?: boolean;
    readonly read: (
      items: readonly StoredItem[],
      part: FeedPart,
      settings: Settings,
      now: Instant,
    ) => Recheck;
  };
  /** For kinds with a protocol of their own: does what `read` does, with connections of its own and within bounds. */
  readonly collect?: (
    part: FeedPart,
    settings: Settings,
    cursor: JsonValue,
    parts: CollectParts,
  ) => Promise<FeedRead>;
  /** For kinds that are one open connection. */
  readonly stream?: FeedStream<Settings>;
  /** For kinds that others push to: what a JSON body brings, and why parts of it are refused. */
  readonly receive?: (
    body: unknown,
    part: FeedPart,
  ) => Pick<FeedRead, "items" | "deletes"> & { readonly refused: readonly string[] };
}

/** Declares a kind; the type of its settings follows from `config`. */
export function defineFeed<Settings extends FeedSettings>(kind: FeedKind<Settings>): FeedKind<Settings> {
  return kind;
}
