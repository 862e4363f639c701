/** One call of the API: where it is, what it is for, what it takes. `earshot api` is made from this. */
export interface CallEntry {
  /** Below the base address. The caller fills the parameters in `{…}`. */
  readonly path: string;
  readonly group: "Account" | "Projects" | "Lists" | "Mentions" | "Breakdowns" | "Volumes";
  readonly summary: string;
  /** Other names of the command. */
  readonly aliases?: readonly string[];
  /** What a table shows of each record, as field paths with dots. Default: every plain field. */
  readonly columns?: readonly string[];
  /** Useful parameters, beside the range and the filters that all calls on mentions take. */
  readonly parameters?: readonly (readonly [name: string, meaning: string])[];
  /** Arguments after `earshot api NAME`. Default: those that the call needs. */
  readonly examples?: readonly string[];
  /** Its records come in pages, with a cursor. */
  readonly isPaged?: true;
  /** POST, with `parameters` as the body. */
  readonly writes?: true;
  /** Not in the specification; the live service has it. */
  readonly isExtension?: true;
}

const IN = "/projects/{projectId}";
const QUERY = ["id", "name", "type", "lastModificationDate", "lastModifiedUsername", "sampled"];
const CATEGORY = ["id", "name", "multiple", "children"];
const MENTION = ["date", "sentiment", "pageType", "queryName", "author"];
const INSIGHT = ["name", "volume", "tweets", "retweets", "impressions"];
const PAGING = [
  ["pageSize", "1 to 5000; default 20, with --all 5000"],
  ["page", "from 0; pages reach 10,000 mentions, --all reaches all"],
  ["orderBy", "date (default), added, updated, impact, …"],
  ["orderDirection", "desc (default) or asc"],
  ["cursor", "nextCursor of an earlier answer, to go on from there"],
] as const;

/** Every call, by its name. A line here is a call of the client (`ask`) and of the shell. */
export const CALLS = {
  token: {
    path: "/oauth/token",
    group: "Account",
    summary: "log in; the token itself is shown with --json only",
    aliases: ["login", "oauth"],
    examples: ["", "--platform-client-id 12345", "--json"],
  },
  me: {
    path: "/me",
    group: "Account",
    summary: "the user who is logged in, with the client",
    aliases: ["user"],
  },
  client: { path: "/client", group: "Account", summary: "the client: contract, limits, rate limit" },
  projects: {
    path: "/projects/summary",
    group: "Projects",
    summary: "the projects that this user may see",
    columns: ["id", "name", "description", "timezone", "billableClientName"],
    examples: ["", "--json"],
  },
  "projects-detailed": {
    path: "/projects",
    group: "Projects",
    summary: "the same with all that the API says of each",
    examples: ["--json"],
  },
  project: { path: IN, group: "Projects", summary: "one project" },
  queries: {
    path: `${IN}/queries/summary`,
    group: "Projects",
    summary: "the queries of a project",
    columns: QUERY,
  },
  "queries-detailed": {
    path: `${IN}/queries`,
    group: "Projects",
    summary: "the same with all that the API says of each, or those of one type",
    columns: QUERY,
    parameters: [["type", '"search string", twitter, facebook or instagram']],
    examples: ["--project Brands --param type=twitter", "--project Brands --json"],
  },
  "query-groups": {
    path: `${IN}/querygroups`,
    group: "Projects",
    summary: "the groups of queries",
    isExtension: true,
  },
  "explain-queries": {
    path: `${IN}/queries/explain`,
    group: "Projects",
    summary: "why queries have a mention, or a text, or do not (the local API only)",
    parameters: [
      ["resourceId", "a mention by its id"],
      ["url", "a mention by its address"],
      ["text", "a text that is no mention; with title, language, pageType"],
    ],
    examples: ["--project Brands --param url=https://news.example/1", '--param "text=Where is my refund?"'],
  },
  categories: {
    path: `${IN}/categories`,
    group: "Lists",
    summary: "the categories with their subcategories",
    columns: CATEGORY,
  },
  tags: {
    path: `${IN}/tags`,
    group: "Lists",
    summary: "the tags, whose ids the filters tag and xtag take",
    isExtension: true,
  },
  "rule-tags": {
    path: `${IN}/ruletags`,
    group: "Lists",
    summary: "the tags that rules of the service give",
    isExtension: true,
  },
  "rule-categories": {
    path: `${IN}/rulecategories`,
    group: "Lists",
    summary: "the categories that rules of the service give",
    columns: CATEGORY,
    isExtension: true,
  },
  "site-lists": {
    path: `${IN}/group/site/summary`,
    group: "Lists",
    summary: "the saved lists of sites",
    columns: ["id", "name", "domains", "shared", "userName"],
  },
  "author-lists": {
    path: `${IN}/group/author/summary`,
    group: "Lists",
    summary: "the saved lists of authors",
    columns: ["id", "name", "authors", "shared", "userName"],
  },
  "location-lists": {
    path: `${IN}/group/location/summary`,
    group: "Lists",
    summary: "the saved lists of locations",
    columns: ["id", "name", "locations", "shared", "userName"],
    isExtension: true,
  },
  "create-location-list": {
    path: `${IN}/group/location/`,
    group: "Lists",
    summary: "WRITES: saves a new list of locations",
    parameters: [
      ["name", "name of the list"],
      ["location", "id of a location, from the operator; repeat it for more"],
      ["sharedProjectIds", "projects that share it; default: the project itself"],
      ["shared", "public (default): anyone may edit it"],
    ],
    examples: ['--project Brands --param name="Our cities" --param location=abc --param location=def'],
    writes: true,
  },
  mentions: {
    path: `${IN}/data/mentions`,
    group: "Mentions",
    summary: "what the queries found",
    columns: [...MENTION, "title|snippet|fullText", "url"],
    parameters: PAGING,
    examples: [
      "--project Brands --query Acme",
      "--query Acme --last 24h --param sentiment=negative --param orderBy=impact",
      "--query Acme --param startDate=2026-01-01 --param endDate=2026-02-01 --all > january.jsonl",
    ],
    isPaged: true,
  },
  "mentions-fulltext": {
    path: `${IN}/data/mentions/fulltext`,
    group: "Mentions",
    summary: "the same with their full text, where the contract allows it",
    columns: [...MENTION, "fullText|snippet|title", "url"],
    parameters: PAGING,
    examples: ["--query Acme --param pageType=news --json"],
    isPaged: true,
  },
  "mention-count": {
    path: `${IN}/data/mentions/count`,
    group: "Mentions",
    summary: "how many there are",
    examples: ["--query Acme --last 30d --param sentiment=negative"],
    isExtension: true,
  },
  hashtags: {
    path: `${IN}/data/hashtags`,
    group: "Breakdowns",
    summary: "the hashtags, by how often they were used",
    columns: INSIGHT,
    examples: ["--query Acme --last 30d"],
  },
  emoticons: {
    path: `${IN}/data/emoticons`,
    group: "Breakdowns",
    summary: "the emoticons",
    columns: INSIGHT,
  },
  urls: {
    path: `${IN}/data/urls`,
    group: "Breakdowns",
    summary: "the stories that were linked to",
    aliases: ["stories"],
    columns: INSIGHT,
  },
  "mentioned-authors": {
    path: `${IN}/data/mentionedauthors`,
    group: "Breakdowns",
    summary: "the authors who were mentioned",
    columns: INSIGHT,
  },
  "top-authors": {
    path: `${IN}/data/volume/topauthors/queries`,
    group: "Volumes",
    summary: "the authors who wrote most",
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
  chart: {
    path: `${IN}/data/{aggregate}/{dimension1}/{dimension2}`,
    group: "Volumes",
    summary: "an aggregate over two dimensions",
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
} as const satisfies Readonly<Record<string, CallEntry>>;

export type CallName = keyof typeof CALLS;

/** A call with its name and what follows from its path. */
export interface ApiCall extends CallEntry {
  readonly name: CallName;
  /** What it is about: the account, one project, or the mentions of queries in a range. */
  readonly needs: "account" | "project" | "mentions";
}

export const API_CALLS: readonly ApiCall[] = Object.entries<CallEntry>(CALLS).map(([name, entry]) => ({
  ...entry,
  name: name as CallName,
  needs: entry.path.includes("/data/")
    ? "mentions"
    : entry.path.includes("{projectId}")
      ? "project"
      : "account",
}));
