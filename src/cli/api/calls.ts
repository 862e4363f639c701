import type { AddressName } from "../../source/addresses.ts";

/** One call of the API, as offered in the shell. */
export interface ApiCall {
  readonly name: AddressName | "token";
  readonly group: (typeof GROUPS)[number];
  readonly summary: string;
  /** What the call needs: a project, a query. */
  readonly needs: "account" | "project" | "mentions";
  /** Other words that people search for. */
  readonly aliases?: readonly string[];
  /** Columns of the table, as field paths with dots. Default: every plain field. */
  readonly columns?: readonly string[];
  /** Useful parameters, in addition to those that `needs` brings. */
  readonly parameters?: readonly (readonly [name: string, says: string])[];
  /** The arguments after `earshot api NAME` in its examples. */
  readonly examples: readonly string[];
  /** Not in the specification; the live service has it. */
  readonly isExtension?: true;
}

export const GROUPS = ["Account", "Projects", "Lists", "Mentions", "Breakdowns", "Volumes"] as const;

const MENTION = ["date", "sentiment", "pageType", "queryName", "author", "title|snippet|fullText", "url"];
const FULL_TEXT = ["date", "sentiment", "pageType", "queryName", "author", "fullText|snippet|title", "url"];
const INSIGHT = ["name", "volume", "tweets", "retweets", "impressions"];
const ORDER = [
  ["pageSize", "1 to 5000; default 20, with --all 5000"],
  ["page", "from 0; pages reach 10,000 mentions, --all reaches all"],
  ["orderBy", "date (default), added, updated, impact, …"],
  ["orderDirection", "desc (default) or asc"],
  ["cursor", "nextCursor of an earlier answer, to go on from there"],
] as const;

export const API_CALLS: readonly ApiCall[] = [
  {
    name: "token",
    group: "Account",
    summary: "log in; the token itself is shown with --json only",
    needs: "account",
    aliases: ["login", "oauth"],
    examples: ["", "--platform-client-id 12345", "--json"],
  },
  {
    name: "me",
    group: "Account",
    summary: "the user who is logged in, with the client",
    needs: "account",
    aliases: ["user"],
    examples: [""],
  },
  {
    name: "client",
    group: "Account",
    summary: "the client: contract, limits, rate limit",
    needs: "account",
    examples: [""],
  },
  {
    name: "projects",
    group: "Projects",
    summary: "the projects that this user may see",
    needs: "account",
    aliases: ["projectssummary"],
    columns: ["id", "name", "description", "timezone", "billableClientName"],
    examples: ["", "--json"],
  },
  {
    name: "projects-detailed",
    group: "Projects",
    summary: "the same with all that the API says of each",
    needs: "account",
    examples: ["--json"],
  },
  {
    name: "project",
    group: "Projects",
    summary: "one project",
    needs: "project",
    examples: ["--project Brands"],
  },
  {
    name: "queries",
    group: "Projects",
    summary: "the queries of a project",
    needs: "project",
    aliases: ["queriessummary"],
    columns: ["id", "name", "type", "lastModificationDate", "lastModifiedUsername", "sampled"],
    examples: ["--project Brands"],
  },
  {
    name: "queries-detailed",
    group: "Projects",
    summary: "the same with all that the API says of each, or those of one type",
    needs: "project",
    columns: ["id", "name", "type", "lastModificationDate", "lastModifiedUsername", "sampled"],
    parameters: [["type", '"search string", twitter, facebook or instagram']],
    examples: ["--project Brands --param type=twitter", "--project Brands --json"],
  },
  {
    name: "query-groups",
    group: "Projects",
    summary: "the groups of queries",
    needs: "project",
    examples: ["--project Brands"],
    isExtension: true,
  },
  {
    name: "categories",
    group: "Lists",
    summary: "the categories with their subcategories",
    needs: "project",
    columns: ["id", "name", "multiple", "children"],
    examples: ["--project Brands"],
  },
  {
    name: "tags",
    group: "Lists",
    summary: "the tags, whose ids the filters tag and xtag take",
    needs: "project",
    examples: ["--project Brands"],
    isExtension: true,
  },
  {
    name: "rule-tags",
    group: "Lists",
    summary: "the tags that rules of the service give",
    needs: "project",
    examples: ["--project Brands"],
    isExtension: true,
  },
  {
    name: "rule-categories",
    group: "Lists",
    summary: "the categories that rules of the service give",
    needs: "project",
    columns: ["id", "name", "multiple", "children"],
    examples: ["--project Brands"],
    isExtension: true,
  },
  {
    name: "site-lists",
    group: "Lists",
    summary: "the saved lists of sites",
    needs: "project",
    columns: ["id", "name", "domains", "shared", "userName"],
    examples: ["--project Brands"],
  },
  {
    name: "author-lists",
    group: "Lists",
    summary: "the saved lists of authors",
    needs: "project",
    columns: ["id", "name", "authors", "shared", "userName"],
    examples: ["--project Brands"],
  },
  {
    name: "location-lists",
    group: "Lists",
    summary: "the saved lists of locations",
    needs: "project",
    columns: ["id", "name", "locations", "shared", "userName"],
    examples: ["--project Brands"],
    isExtension: true,
  },
  {
    name: "create-location-list",
    group: "Lists",
    summary: "WRITES: saves a new list of locations",
    needs: "project",
    parameters: [
      ["name", "name of the list"],
      ["location", "id of a location, from the operator; repeat it for more"],
      ["sharedProjectIds", "projects that share it; default: the project itself"],
      ["shared", "public (default): anyone may edit it"],
    ],
    examples: ['--project Brands --param name="Our cities" --param location=abc --param location=def'],
  },
  {
    name: "mentions",
    group: "Mentions",
    summary: "what the queries found",
    needs: "mentions",
    columns: MENTION,
    parameters: ORDER,
    examples: [
      "--project Brands --query Acme",
      "--query Acme --last 24h --param sentiment=negative --param orderBy=impact",
      "--query Acme --param startDate=2026-01-01 --param endDate=2026-02-01 --all > january.jsonl",
    ],
  },
  {
    name: "mentions-fulltext",
    group: "Mentions",
    summary: "the same with their full text, where the contract allows it",
    needs: "mentions",
    aliases: ["fulltext"],
    columns: FULL_TEXT,
    parameters: ORDER,
    examples: ["--query Acme --param pageType=news --json"],
  },
  {
    name: "mention-count",
    group: "Mentions",
    summary: "how many there are",
    needs: "mentions",
    aliases: ["count", "mentionscount"],
    examples: ["--query Acme --last 30d --param sentiment=negative"],
    isExtension: true,
  },
  {
    name: "hashtags",
    group: "Breakdowns",
    summary: "the hashtags, by how often they were used",
    needs: "mentions",
    columns: INSIGHT,
    examples: ["--query Acme --last 30d"],
  },
  {
    name: "emoticons",
    group: "Breakdowns",
    summary: "the emoticons",
    needs: "mentions",
    columns: INSIGHT,
    examples: ["--query Acme"],
  },
  {
    name: "urls",
    group: "Breakdowns",
    summary: "the stories that were linked to",
    needs: "mentions",
    aliases: ["stories"],
    columns: INSIGHT,
    examples: ["--query Acme"],
  },
  {
    name: "mentioned-authors",
    group: "Breakdowns",
    summary: "the authors who were mentioned",
    needs: "mentions",
    columns: INSIGHT,
    examples: ["--query Acme"],
  },
  {
    name: "top-authors",
    group: "Volumes",
    summary: "the authors who wrote most",
    needs: "mentions",
    aliases: ["topauthorsqueries"],
    columns: [
      "name|data.authorName",
      "volume|data.volume",
      "data.reachEstimate",
      "data.domain",
      "data.countryCode",
    ],
    parameters: [["limit", "how many, up to 1000"]],
    examples: ["--query Acme --last 30d --param limit=20"],
    isExtension: true,
  },
  {
    name: "chart",
    group: "Volumes",
    summary: "an aggregate over two dimensions",
    needs: "mentions",
    aliases: ["volume"],
    parameters: [
      [
        "aggregate",
        "volume (default), authors, reachEstimate, impressions, netSentiment, …; several by commas",
      ],
      ["dim1", "days (default), hours, weeks, queries, sentiment, pageTypes, …"],
      ["dim2", "queries (default), sentiment, categories, tags, languages, …"],
      ["dim1Args, dim2Args", "only these values of a dimension"],
    ],
    examples: [
      "--query Acme --last 30d",
      "--query Acme --param dim1=days --param dim2=sentiment",
      "--param aggregate=reachEstimate --param dim1=queries --param dim2=sentiment",
    ],
    isExtension: true,
  },
];

/** Finds a call by its name, its path in the API, or another word for it. */
export function findCall(word: string): ApiCall | undefined {
  const wanted = plain(word);
  return API_CALLS.find(
    (call) => plain(call.name) === wanted || call.aliases?.some((one) => plain(one) === wanted),
  );
}

function plain(word: string): string {
  return word
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "")
    .replace(/json$/, "");
}
