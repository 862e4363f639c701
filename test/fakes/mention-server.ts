import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../src/lib/clock.ts";
import { DAY, type Instant } from "../../src/lib/instant.ts";
import { formatWireInstant, parseWireInstant } from "../../src/monitor/source/wire-values.ts";

/** What a server of the mentions call may do where its specification is silent. All absent: as one would wish. */
export interface ServerQuirks {
  /**
   * Cursors work once they are asked for again: `refused` never, `expire` for the first page behind the first only.
   * `kept-there`: one for all pages, whose place the server keeps and moves with every page.
   */
  readonly cursors?: "refused" | "expire" | "kept-there";
  readonly lastPage?: "without-cursor";
  /** What the cursor of a last page leads to, whatever came later. */
  readonly afterEnd?: "silent" | "refused";
  readonly since?: "ignored" | "refused";
  /** Above what it sends; null: it counts nothing. */
  readonly totalOff?: number | null;
  /** Rows of the page before with which a later page begins. */
  readonly repeats?: number;
  /** Its clock is so far ahead of ours: what it stamps, and what it says of the time. */
  readonly clockAheadMs?: number;
  /** Every mention becomes visible so much later than its `added` says, at most: each at a time of its own. */
  readonly lateMs?: number;
  /** Mentions without a date; those that have none yet get one with their next change. */
  readonly dateless?: "some";
  /** However many are asked for, a page holds no more than these. */
  readonly mostOnPage?: number;
  /** Nor does it say how many it allows. */
  readonly pageSize?: "missing";
  /** What happens while an answer is on its way. */
  readonly afterAnswer?: () => void;
  /** Several queries in one call. */
  readonly several?: "refused";
}

interface ServedMention {
  readonly queryId: string;
  readonly resourceId: string;
  /** When it came about, by our clock. */
  readonly at: Instant;
  /** By the server's clock, like everything it sends. */
  added: Instant;
  updated: Instant;
  date: Instant | null;
  sentiment: string;
  readonly visibleAt: Instant;
}

export interface MentionServer {
  readonly baseUrl: string;
  readonly mentions: ServedMention[];
  /** Data calls: their parameters. */
  readonly calls: URLSearchParams[];
  /** New ones come about now. */
  add(queryId: string, count: number, more?: { readonly publishedMsAgo?: number }): void;
  /** An edit: the mention changes, and its `updated` moves. */
  edit(mention: ServedMention, sentiment: string): void;
  /** A backfill: it stamps `added` anew. */
  restamp(mention: ServedMention): void;
  close(): Promise<void>;
}

const MOST_BY_NUMBER = 10_000;

/** A small server of the mentions call, with the given quirks: ordered by key, filtered, page by page. */
export async function startMentionServer(clock: Clock, quirks: ServerQuirks): Promise<MentionServer> {
  const mentions: ServedMention[] = [];
  const calls: URLSearchParams[] = [];
  const followed = new Map<string, number>();
  const kept = new Map<string, Place>();
  const now = () => clock.now() + (quirks.clockAheadMs ?? 0);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://fake");
    const send = (status: number, body: object) => {
      response.writeHead(status, {
        "content-type": "application/json",
        date: new Date(now()).toUTCString(),
      });
      response.end(JSON.stringify(body));
    };
    const refuse = (message: string) => send(400, { errors: [{ code: 0, message }] });
    if (url.pathname === "/oauth/token")
      return send(200, { access_token: "token", token_type: "bearer", expires_in: 9_999 });
    calls.push(url.searchParams);
    const asked = readPageRequest(url.searchParams, quirks.mostOnPage);
    if (quirks.since === "refused" && asked.since !== null) return refuse("unknown parameter");
    if (quirks.several === "refused" && asked.queryIds.length > 1) return refuse("one queryId, please");
    let place: Place | null = null;
    // Who begins anew is given new cursors.
    if (asked.cursor === null) followed.delete(asked.paging);
    else {
      place = kept.get(asked.cursor) ?? readPlace(asked.cursor);
      const times = (followed.get(place.paging) ?? 0) + 1;
      followed.set(place.paging, times);
      const isOver = quirks.cursors === "refused" || (quirks.cursors === "expire" && times > 1);
      if (isOver || place.paging !== asked.paging || (place.isEnd && quirks.afterEnd === "refused"))
        return refuse("this cursor is not valid");
    }
    const all = mentions
      .filter((one) => isAsked(one, asked, quirks) && one.visibleAt <= clock.now())
      .sort((a, b) => compare(a, b, asked));
    const begin =
      place === null
        ? asked.page * asked.pageSize
        : all.findIndex((one) => compareToPlace(one, place, asked) > 0);
    const from = begin === -1 ? all.length : begin;
    // Who keeps the place knows what it has sent.
    const isRepeating = place !== null && quirks.cursors !== "kept-there";
    const again = isRepeating ? Math.min(quirks.repeats ?? 0, asked.pageSize - 1, from) : 0;
    const isSilent = place?.isEnd === true && quirks.afterEnd === "silent";
    const tooFar = place === null && (asked.page + 1) * asked.pageSize > MOST_BY_NUMBER;
    const results = isSilent || tooFar ? [] : all.slice(from - again, from - again + asked.pageSize);
    const last = results.at(-1);
    const isEnd = from - again + results.length >= all.length;
    const nextPlace: Place | null =
      last === undefined
        ? place
        : { paging: asked.paging, at: last[asked.orderBy], id: last.resourceId, isEnd };
    const hasNext = nextPlace !== null && !(isEnd && quirks.lastPage === "without-cursor");
    const { totalOff = 0 } = quirks;
    const keptAs = asked.cursor ?? `kept-${kept.size}`;
    const isKept = quirks.cursors === "kept-there" && nextPlace !== null;
    if (isKept) kept.set(keptAs, nextPlace);
    const cursor = isKept ? keptAs : Buffer.from(JSON.stringify(nextPlace)).toString("base64url");
    send(200, {
      results: results.map(toWire),
      ...(totalOff === null ? {} : { resultsTotal: Math.max(0, all.length + totalOff) }),
      resultsPage: asked.page,
      ...(quirks.pageSize === "missing" ? {} : { resultsPageSize: asked.pageSize }),
      nextCursor: hasNext ? cursor : null,
    });
    quirks.afterAnswer?.();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  let counter = 0;
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mentions,
    calls,
    add: (queryId, count, { publishedMsAgo = 0 } = {}) => {
      for (let nth = 0; nth < count; nth++) {
        counter += 1;
        const dateless = quirks.dateless === "some" && counter % 3 === 0;
        // Several share a moment, across the borders of pages.
        const added = now() - Math.floor(nth / 4);
        const lateMs = Math.floor(((quirks.lateMs ?? 0) * ((counter * 7) % 11)) / 10);
        mentions.push({
          queryId,
          resourceId: `m${String(counter).padStart(6, "0")}`,
          at: clock.now(),
          added,
          updated: added,
          date: dateless ? null : added - publishedMsAgo,
          sentiment: "negative",
          visibleAt: clock.now() + lateMs,
        });
      }
    },
    edit: (mention, sentiment) => {
      mention.updated = now();
      mention.sentiment = sentiment;
      mention.date ??= mention.added - DAY;
    },
    restamp: (mention) => {
      mention.added = now();
      mention.updated = now();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Place {
  readonly paging: string;
  readonly at: Instant;
  readonly id: string;
  readonly isEnd: boolean;
}

function readPlace(cursor: string): Place {
  return JSON.parse(Buffer.from(cursor, "base64url").toString()) as Place;
}

type PageRequest = ReturnType<typeof readPageRequest>;

function readPageRequest(params: URLSearchParams, mostOnPage = Number.POSITIVE_INFINITY) {
  const moment = (name: string) => parseWireInstant(params.get(name) ?? "");
  const orderBy = params.get("orderBy") === "updated" ? "updated" : "added";
  const others = [...params].filter(([name]) => name !== "cursor" && name !== "page");
  return {
    queryIds: params.getAll("queryId"),
    orderBy: orderBy as "added" | "updated",
    isDown: params.get("orderDirection") !== "asc",
    pageSize: Math.min(mostOnPage, Number(params.get("pageSize") ?? 20)),
    page: Number(params.get("page") ?? 0),
    cursor: params.get("cursor"),
    startDate: moment("startDate") ?? Number.NaN,
    endDate: moment("endDate") ?? Number.NaN,
    since: moment("sinceAdded") ?? moment("sinceUpdated"),
    sinceField: params.has("sinceAdded") ? ("added" as const) : ("updated" as const),
    paging: new URLSearchParams(others).toString(),
  };
}

function isAsked(one: ServedMention, asked: PageRequest, quirks: ServerQuirks): boolean {
  if (!asked.queryIds.includes(one.queryId)) return false;
  if (one.date !== null && !(one.date >= asked.startDate && one.date <= asked.endDate)) return false;
  return asked.since === null || quirks.since === "ignored" || one[asked.sinceField] > asked.since;
}

function compare(a: ServedMention, b: ServedMention, { orderBy, isDown }: PageRequest): number {
  const order = a[orderBy] - b[orderBy] || (a.resourceId < b.resourceId ? -1 : 1);
  return isDown ? -order : order;
}

function compareToPlace(one: ServedMention, { at, id }: Place, { orderBy, isDown }: PageRequest): number {
  const order = one[orderBy] - at || (one.resourceId === id ? 0 : one.resourceId < id ? -1 : 1);
  return isDown ? -order : order;
}

function toWire({ queryId, resourceId, added, updated, date, sentiment }: ServedMention): object {
  return {
    queryId: Number(queryId),
    resourceId,
    added: formatWireInstant(added),
    updated: formatWireInstant(updated),
    date: date === null ? null : formatWireInstant(date),
    sentiment,
  };
}
