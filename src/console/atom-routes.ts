import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type ConsoleFacts, type ListedAlert, type ShownMention, speakerOf } from "#monitor";
import { ATOM_TYPE, type AtomEntry, type AtomFeed, etagOf, isKnown, writeAtom } from "./atom.ts";
import type { ConsoleSettings } from "./common/settings.ts";
import type { Times } from "./common/times.ts";
import { followable, SENTIMENTS } from "./parts/mention-list.ts";
import { shorten } from "./parts/words.ts";

const MOST_ENTRIES = 100;
const LONGEST_TITLE = 200;
const LONGEST_TEXT = 4_000;

/**
 * Alerts and mentions as Atom feeds, for feed readers: of all queries or of one (`?query=`, its name or its id), with ETags.
 * Readers cannot send a token as other programs do, so one with the scope `atom` may stand in the address.
 */
export function atomRoutes(
  app: FastifyInstance,
  { facts, times, settings }: { facts: ConsoleFacts; times: Times; settings: ConsoleSettings },
): void {
  const { publicUrl } = settings;
  const authority = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;

  app.get("/alerts.atom", (request, reply) =>
    answer(request, reply, async ({ query }, base) => {
      const { alerts } = await facts.alerts("all", null, MOST_ENTRIES, query);
      // A pending alert is none yet.
      const entries = alerts
        .filter(({ firedAt }) => firedAt !== null)
        .map((one) => entryOfAlert(one, base, times));
      const page = `${base}/alerts`;
      return { id: ["alerts"], title: "Alerts", page, entries };
    }),
  );

  app.get("/mentions.atom", (request, reply) =>
    answer(request, reply, async ({ query, sentiment }, base) => {
      const filter = {
        ...{ projectId: query?.projectId ?? null, queryId: query?.queryId ?? null },
        ...{ sentiment, contains: null },
      };
      const { mentions } = await facts.mentions(filter, null, MOST_ENTRIES);
      const id = ["mentions", ...(sentiment === null ? [] : [sentiment])];
      const title = sentiment === null ? "Mentions" : `Mentions, ${sentiment}`;
      const page = `${base}/mentions${query === null ? "" : `?${new URLSearchParams({ query: query.queryId })}`}`;
      const entries = mentions.map((one) => entryOfMention(one, base));
      return { id, title, page, entries };
    }),
  );

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    read: (
      filter: { query: NamedQuery | null; sentiment: string | null },
      base: string,
    ) => Promise<Omit<AtomFeed, "self">>,
  ): Promise<FastifyReply> {
    const { query: name, sentiment } = Asked.parse(request.query);
    const query = name === null ? null : findQuery(await facts.queryNames(), name);
    if (query === undefined) return reply.code(404).send({ error: `there is no query ${name}` });
    const base = publicUrl?.replace(/\/$/, "") ?? `${request.protocol}://${request.host}`;
    const feed = await read({ query, sentiment }, base);
    const own = Object.entries({ query: name, sentiment }).filter((one) => one[1] !== null) as [
      string,
      string,
    ][];
    const search = new URLSearchParams(own).toString();
    const [path = ""] = request.url.split("?", 1);
    const named =
      query === null
        ? {}
        : { id: [...feed.id, query.projectId, query.queryId], title: `${query.name}: ${feed.title}` };
    const body = writeAtom(
      { ...feed, ...named, self: `${base}${path}${search === "" ? "" : `?${search}`}` },
      authority,
    );
    const etag = etagOf(body);
    reply.headers({ etag, "cache-control": "private, no-cache" });
    if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.type(ATOM_TYPE).send(body);
  }
}

type NamedQuery = Awaited<ReturnType<ConsoleFacts["queryNames"]>>[number];

function findQuery(queries: readonly NamedQuery[], query: string): NamedQuery | undefined {
  return (
    queries.find(({ name }) => name === query) ??
    queries.find(({ queryId }) => queryId === query) ??
    queries.find(({ name }) => name.toLowerCase() === query.toLowerCase())
  );
}

const Asked = z.object({
  query: z
    .string()
    .max(200)
    .transform((text) => (text.trim() === "" ? null : text.trim()))
    .nullable()
    .catch(null),
  sentiment: z.enum(SENTIMENTS).nullable().catch(null),
});

function entryOfAlert(alert: ListedAlert, base: string, times: Times): AtomEntry {
  const { id, rule, queryName, state, severity, openedAt, firedAt, resolvedAt, because } = alert;
  const mention = alert.newestMention;
  const quote =
    mention == null
      ? ""
      : `\n\n${speakerOf(mention) ?? "unknown author"}: ${shorten(mention.title ?? mention.text ?? "a mention without text", LONGEST_TITLE)}`;
  const resolved = state === "resolved" ? "Resolved: " : "";
  return {
    id: ["alerts", id],
    title: `${resolved}${queryName}: ${times.titleOf(rule)}`,
    author: null,
    url: `${base}/alerts/${id}`,
    published: openedAt,
    // Not with every mention that it grows by: readers show an entry again when this changes.
    updated: resolvedAt ?? firedAt ?? openedAt,
    text: `${because}${quote}`,
    categories: [severity, state],
  };
}

function entryOfMention({ mention, projectId, queryName }: ShownMention, base: string): AtomEntry {
  const { queryId, resourceId, title, text, url, publishedAt, addedAt, updatedAt, sentiment } = mention;
  const headline = title ?? text?.trim().split("\n", 1)[0] ?? "";
  const why = `${base}/why?${new URLSearchParams({ of: resourceId })}`;
  return {
    id: ["mentions", projectId, queryId, resourceId],
    title: headline.trim() === "" ? "A mention without text" : shorten(headline, LONGEST_TITLE),
    author: speakerOf(mention),
    url: followable(url)?.href ?? why,
    published: publishedAt ?? addedAt,
    updated: updatedAt,
    text: shorten(text ?? "", LONGEST_TEXT),
    categories: [queryName, ...(sentiment === null ? [] : [sentiment])],
  };
}
