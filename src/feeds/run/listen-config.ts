import { z } from "zod";
import { compile } from "#listening-api";
import { durationBetween } from "../../lib/duration.ts";
import type { Issue } from "../../lib/errors.ts";
import { HttpAddress } from "../../lib/http-address.ts";
import { DAY } from "../../lib/instant.ts";
import type { kinds } from "../kinds/all-kinds.ts";

/** A Boolean text in the language of queries; a mistake is shown with its place. */
const QueryText = z
  .string()
  .max(50_000)
  .superRefine((text, context) => {
    const compiled = compile(text);
    if (compiled.ok) return;
    for (const { severity, start, message } of compiled.problems)
      if (severity === "error")
        context.addIssue({ code: "custom", message: `character ${start + 1}: ${message}` });
  });

const Name = z.string().trim().min(1).max(200);

const ListenedQuery = z.strictObject({
  name: Name.describe("Name of the query, as rules and messages show it. Example: Acme"),
  text: QueryText.describe(
    'What is looked for: words, "phrases", AND, OR, NOT, NEAR/5, wild*. Example: ("acme corp" OR @acme) NOT jobs',
  ),
  about: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(
      "What the words mean, in plain words: an endpoint of `enrich.relevance` reads it. Example: the airline, not the river",
    ),
  languages: z
    .array(z.string().regex(/^[a-z]{2}$/, "expected two letters, such as en"))
    .default([])
    .describe(
      "Only mentions in these languages, where the language is known. Default: any. Example: [en, de]",
    ),
});

const ListenedCategory = z.strictObject({
  name: Name.describe("Name of the category. Example: Safety"),
  subcategories: z
    .array(
      z.strictObject({
        name: Name.describe("Name of the subcategory. Example: Recall"),
        text: QueryText.describe(
          'Mentions that match it get the subcategory. Example: recall* OR "catch fire"',
        ),
      }),
    )
    .min(1)
    .describe("The parts of the category, each with a text."),
});

export const ListenConfig = z.strictObject({
  queries: z
    .array(ListenedQuery)
    .min(1, "name at least one query, else nothing is looked for")
    .describe("What is looked for in everything that the feeds bring."),
  categories: z.array(ListenedCategory).default([]).describe("Topics that mentions are sorted into."),
  feeds: z.array(z.unknown()).default([]).describe("Where is listened: a kind, and the keys of that kind."),
  contact: z
    .string()
    .max(200)
    .regex(/^[\x21-\x7e]+$/, "expected an address without blanks")
    .exactOptional()
    .describe(
      "Your mail or web address. It is sent to every feed with the name Earshot, so that its owner can reach you. Example: press@acme.example",
    ),
  callback: HttpAddress.exactOptional().describe(
    "The address of the console that others on the internet reach. With it, feeds whose documents name a hub are pushed to it when they change (WebSub), and polled seldom. Example: https://earshot.brand.example",
  ),
  pollEvery: durationBetween(100, DAY)
    .prefault("1m")
    .describe(
      "How often the monitor makes sure by itself that nothing new is in a query. What arrives there is asked for at once.",
    ),
  keep: durationBetween(DAY, 36_500 * DAY)
    .prefault("90d")
    .describe("How long items of feeds are kept for queries that look back; older items are not taken."),
});

/** A feed of any kind, as it is configured. */
export type FeedConfig = z.output<(typeof kinds)[number]["config"]>;

export interface ListenConfig extends Omit<z.output<typeof ListenConfig>, "feeds"> {
  readonly feeds: readonly FeedConfig[];
}

/** Faults that show only when all parts are known. */
export function checkListen(listen: ListenConfig, issues: Issue[]): void {
  const repeated = (names: readonly string[], path: Issue["path"]) => {
    names.forEach((name, index) => {
      if (names.indexOf(name) !== index)
        issues.push({ path: [...path, index, "name"], message: `there are two with the name "${name}"` });
    });
  };
  repeated(
    listen.queries.map(({ name }) => name),
    ["listen", "queries"],
  );
  repeated(
    listen.categories.map(({ name }) => name),
    ["listen", "categories"],
  );
}
