import { z } from "zod";
import { PAGE_TYPES } from "#listening-api";
import { type JsonValue, stableHash } from "../../lib/json.ts";
import { defineFeed, type FeedItem, FeedKeys, type FeedPart, type FeedRead } from "../common/define-feed.ts";
import { readFeedDate } from "../common/feed-date.ts";

/** The visible characters of ASCII. Others do not arrive as they were sent, or are refused before they are sent. */
const SENDABLE = /^[!-~]*$/;

/** Mentions that other programs send: Zapier, n8n, own scripts. */
export const push = defineFeed({
  kind: "push",
  about: "Mentions that other programs POST as JSON to /feeds/push of the console, with a token.",
  config: z.strictObject({
    kind: z.literal("push").describe("Mentions that other programs post as JSON."),
    ...FeedKeys,
    token: z
      .string()
      .min(16)
      .regex(
        SENDABLE,
        "a token goes into the header Authorization: Bearer TOKEN, which takes only A to Z, a to z, 0 to 9 and signs such as - . _ ~ + / =, without blanks, accents or line ends",
      )
      .meta({
        description: "What senders show, 16 characters or more, without blanks: Authorization: Bearer TOKEN.",
        writeOnly: true,
      }),
  }),
  policy: {
    version: 1,
    storedCharacters: null,
    sentOut: "the text, with link",
    deletesLearntBy: 'a posted {"id": …, "deleted": true}',
    terms: "those of whoever sends",
  },
  pace: { everyMs: 0, atOnce: 1 },
  everyMs: 0,
  pageType: "general",
  parts: ({ name = "push" }) => [{ id: name, name, url: null }],
  // They are told apart by their names alone: the second would not be opened.
  sharedPart: ({ name = "push" }) => ({
    path: ["name"],
    message: `there are two push feeds with the name "${name}"; give each a name of its own`,
  }),
  receive,
});

/** In one call. */
const MOST_MENTIONS = 1_000;

const Text = z.string().max(100_000);
const Short = z.string().max(2_000);

/** One mention of the body. Unknown keys are ignored: senders pass on whatever they have. */
const Pushed = z.object({
  id: z
    .union([z.string().min(1).max(1_000), z.int()])
    .transform(String)
    .nullish(),
  url: Short.nullish(),
  title: Short.nullish(),
  text: Text.nullish(),
  html: Text.nullish(),
  date: z.union([z.string().max(100), z.number()]).nullish(),
  author: Short.nullish(),
  fullname: Short.nullish(),
  site: Short.nullish(),
  language: z
    .string()
    .regex(/^[a-z]{2}$/, "expected two letters, such as en")
    .nullish(),
  pageType: z.enum(PAGE_TYPES).nullish(),
  deleted: z.boolean().nullish(),
});

/** A mention, a list of them, or `{"mentions": […]}`. Each feed has ids of its own: two programs may both count from 1. */
function receive(
  body: unknown,
  { id: scope }: FeedPart,
): Pick<FeedRead, "items" | "deletes"> & { refused: readonly string[] } {
  const given = Array.isArray(body) ? body : (Reflect.get(Object(body), "mentions") ?? [body]);
  if (!Array.isArray(given))
    return { items: [], deletes: [], refused: ["expected a mention or a list of mentions"] };
  if (given.length > MOST_MENTIONS)
    return {
      items: [],
      deletes: [],
      refused: [`expected at most ${MOST_MENTIONS} mentions, got ${given.length}`],
    };
  const items: FeedItem[] = [];
  const deletes: FeedRead["deletes"][number][] = [];
  const refused: string[] = [];
  for (const [index, one] of given.entries()) {
    const read = Pushed.safeParse(one);
    const outcome = read.success ? toItem(read.data) : faultsIn(read.error);
    if (typeof outcome === "string") refused.push(`${index}: ${outcome}`);
    else if ("reason" in outcome) deletes.push({ ...outcome, scope });
    else items.push({ ...outcome, scope });
  }
  // Of two with one id the later one counts, as if it had come in a call of its own.
  return { items: [...new Map(items.map((item) => [item.id, item])).values()], deletes, refused };
}

function faultsIn(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; ");
}

function toItem(pushed: z.output<typeof Pushed>): FeedItem | FeedRead["deletes"][number] | string {
  const { id, url, title, text, html, date, deleted } = pushed;
  if (deleted === true) return id == null ? "a delete needs the id" : { id, reason: "deleted by the sender" };
  if (!title?.trim() && !text?.trim() && !html?.trim()) return "it has neither title nor text";
  const publishedAt = typeof date === "number" ? (date < 1e11 ? date * 1_000 : date) : readFeedDate(date);
  if (date != null && publishedAt === null) return "date: expected a date such as 2026-03-01T09:30:00Z";
  return {
    // The same post sent twice is one mention, also without an id.
    id: id ?? url ?? stableHash([title ?? "", text ?? html ?? ""] satisfies JsonValue),
    url: url ?? null,
    title: title ?? null,
    body: text != null ? { text } : html != null ? { html } : null,
    publishedAt,
    author: pushed.author ?? null,
    fullname: pushed.fullname ?? null,
    site: pushed.site ?? null,
    language: pushed.language ?? null,
    ...(pushed.pageType == null ? {} : { pageType: pushed.pageType }),
  };
}
