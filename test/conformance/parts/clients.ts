import { demand, demandEqual } from "../demand.ts";
import { identityOf, mentions, walkUntilAbsent, withoutName } from "../mention-calls.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { demandShape } from "../shape.ts";
import { isJson, type Json, type Parameters, resultsOf, type Subject } from "../subject.ts";

/** Six ways of writing one moment, by who writes it so. */
const MOMENTS: readonly (readonly [string, (day: string) => string])[] = [
  ["clients: both official SDKs, brandwatch-downloader (no offset)", (day) => `${day}T05:00:00`],
  ["clients: dashboards (toISOString)", (day) => `${day}T05:00:00.000Z`],
  ["clients: R and Ruby clients (offset without a colon)", (day) => `${day}T05:00:00.000+0000`],
  ["clients: programs in Python with a zone (offset with a colon)", (day) => `${day}T05:00:00+00:00`],
  ["clients: programs in Python without one (microseconds)", (day) => `${day}T05:00:00.000000`],
  ["clients: exporters (minutes)", (day) => `${day}T05:00`],
];

/** What programs send that never was a parameter, or is none any more. */
const UNKNOWN: readonly (readonly [string, readonly [string, string | number]])[] = [
  ["clients: download-brandwatch", ["pagesize", 5_000]],
  ["clients: exporters", ["limit", 100]],
  ["clients: brandwatch-downloader", ["__delay", 30]],
  ...[
    "backlinksMin",
    "mozRankMax",
    "authorLocation",
    "xauthorLocationGroup",
    "influenceMin",
    "forumPostsMax",
    "percentFemaleVisitorsMin",
    "averageVisitsMin",
  ].map((name) => ["clients: api_sdk, a filter retired before 2020", [name, 1]] as const),
];

/** Lists that clients read whole when they start, with what they read of each record. */
// biome-ignore format: a table, one row on a line
const LISTS: readonly (readonly [string, string, readonly string[]])[] = [
  ["clients: bcr-api BWQueries", "queries", ["id", "name", "type", "booleanQuery", "startDate", "contentSources", "languages", "description"]],
  ["clients: bcr-api BWGroups", "querygroups", ["id", "name", "queries"]],
  ["clients: bcr-api BWTags", "ruletags", ["id", "name"]],
  ["clients: bcr-api BWCategories", "rulecategories", ["id", "name", "multiple", "children"]],
  ["clients: bcr-api BWAuthorLists", "group/author/summary", ["id", "name", "authors"]],
  ["clients: bcr-api BWSiteLists", "group/site/summary", ["id", "name", "domains"]],
  ["clients: bcr-api BWLocationLists", "group/location/summary", ["id", "name", "locations"]],
  ["clients: bcr-api BWRules", "rules", ["id", "name", "filter", "ruleAction"]],
  ["clients: bcr-api BWSignals", "signals/groups", ["id", "name"]],
];

/** Calls for dashboards, with the field that has the answer. */
const CHARTS: readonly (readonly [string, string, string])[] = [
  ["clients: bcr-api get_topics, bw-sync", "volume/topics/queries", "topics"],
  ["clients: bcr-api get_topics_comparison", "volume/topics/compare/gender", "topics"],
  ["clients: bcr-api get_topsites, dashboards", "volume/topsites/queries", "results"],
  ["clients: bcr-api get_tweeters", "volume/toptweeters/queries", "results"],
  ["clients: bcr-api get_authors", "volume/topauthors/queries", "results"],
  ["clients: bcr-api get_dem_summary", "demographics/gender", "results"],
  ["clients: bw-sync", "sharedsites", "results"],
  ["clients: bcr-api get_tweets", "mentions/tweets", "results"],
  ["clients: bcr-api get_history", "volume/queries/days", "results"],
  ["clients: bcr-api get_volume", "volume/queries/pageTypes", "results"],
];

export const clients: Part = {
  name: "Programs written for the service",
  rows: [
    ...(["date", "added", "impact"] as const).map((orderBy) =>
      row(
        "clients: brandwatch-api-extract, tweet exporter",
        `paging by ${orderBy} ends by the absence of nextCursor`,
        async (subject) => {
          const pages = await walkUntilAbsent(subject, [
            ["pageSize", 200],
            ["orderBy", orderBy],
          ]);
          const shown = pages.flatMap(resultsOf).map(identityOf);
          demandEqual(new Set(shown).size, shown.length, "different mentions");
          demandEqual(shown.length, pages[0]?.["resultsTotal"], "all of them");
        },
      ),
    ),
    ...MOMENTS.map(([section, form]) =>
      row(section, `a date-time such as ${form("2026-11-20")} is taken`, async (subject) => {
        const dates = await withDates(subject, form);
        const answer = await subject.get(await dataPath(subject, "mentions"), dates);
        demandEqual(answer.status, 200, `status (${answer.text.slice(0, 120)})`);
        const start = isJson(answer.body) ? answer.body["startDate"] : undefined;
        demand(
          Date.parse(String(start)) === Date.parse(`${day(subject.options.startDate)}T05:00:00Z`),
          `startDate is ${start}`,
        );
      }),
    ),
    ...UNKNOWN.map(([section, parameter]) =>
      row(section, `${parameter[0]} is passed over`, async (subject) => {
        const plain = await mentions(subject, [["pageSize", 1]]);
        const answer = await mentions(subject, [["pageSize", 1], parameter]);
        demandEqual(answer["resultsTotal"], plain["resultsTotal"], "resultsTotal");
      }),
    ),
    row(
      "clients: tweet exporter, the documented example of a count",
      "queryId[] is queryId",
      async (subject) => {
        const range = await subject.range();
        const bracketed = range.map(
          ([name, value]) => [name === "queryId" ? "queryId%5B%5D" : name, value] as const,
        );
        const path = await dataPath(subject, "mentions/count");
        demandEqual(
          (await subject.read(path, bracketed))["mentionsCount"],
          (await subject.read(path, range))["mentionsCount"],
          "mentionsCount",
        );
      },
    ),
    ...LISTS.map(([section, path, fields]) =>
      row(section, `GET …/${path} has what is read of its records`, async (subject) => {
        const { id } = await subject.project();
        for (const record of resultsOf(await subject.read(`/projects/${id}/${path}`)))
          for (const field of fields) demand(field in record, `a record has no ${field}`);
      }),
    ),
    ...LISTS.slice(0, 7).map(([section, path]) =>
      row(section, `GET …/${path.replace("/summary", "")}/{id} gives one`, async (subject) => {
        const { id } = await subject.project();
        const [first] = resultsOf(await subject.read(`/projects/${id}/${path}`));
        if (first === undefined) return notApplicable("the list is empty");
        const one = await subject.read(`/projects/${id}/${path.replace("/summary", "")}/${first["id"]}`);
        return demandEqual([one["id"], one["name"]], [first["id"], first["name"]], "id and name");
      }),
    ),
    row(
      "clients: bcr-api BWQueries.get_mention",
      "mentionfind gives one mention by its id",
      async (subject) => {
        const { id } = await subject.project();
        const [first] = resultsOf(await mentions(subject, [["pageSize", 1]]));
        if (first === undefined) return notApplicable("there is no mention");
        const { mention } = await subject.read(`/projects/${id}/query/${first["queryId"]}/mentionfind`, [
          ["resourceId", String(first["resourceId"])],
        ]);
        return demandEqual(isJson(mention) && mention["resourceId"], first["resourceId"], "resourceId");
      },
    ),
    row("clients: tweet exporter", "a post on X has a guid", async (subject) => {
      const tweets = resultsOf(
        await mentions(subject, [
          ["pageType", "twitter"],
          ["pageSize", 5],
        ]),
      );
      for (const tweet of tweets) demand("guid" in tweet, "a tweet has no guid");
      return tweets.length === 0 ? notApplicable("there is no post on X") : undefined;
    }),
    ...CHARTS.map(([section, path, field]) =>
      row(section, `GET …/data/${path} answers with ${field}`, async (subject) => {
        const body = await subject.read(await dataPath(subject, path), await subject.range());
        demand(Array.isArray(body[field]), `${field} is no array`);
      }),
    ),
    row("clients: bcr-api get_topics", "a topic says what dashboards draw", async (subject) => {
      const { topics } = await subject.read(
        await dataPath(subject, "volume/topics/queries"),
        await subject.range(),
      );
      for (const topic of Array.isArray(topics) ? topics.slice(0, 5) : [])
        demandShape(
          topic,
          {
            label: "string",
            volume: "integer",
            sentiment: "object",
            burst: "integer",
            days: "array",
            queries: "array",
          },
          "a topic",
        );
      demand(Array.isArray(topics), "topics is no array");
    }),
    ...["nameContains", "ids", "includeHidden", "includeActive", "includeInactive"].map((name) =>
      row("clients: the operator's own contract", `lists take ${name}`, async (subject) => {
        const { id, queryIds } = await subject.project();
        const value = name === "ids" ? (queryIds[0] ?? 0) : name === "nameContains" ? "e" : "true";
        for (const path of [
          "/projects/summary",
          `/projects/${id}/queries`,
          `/projects/${id}/querygroups`,
          `/projects/${id}/tags`,
        ])
          demandEqual((await subject.get(path, [[name, value]])).status, 200, path);
      }),
    ),
    ...["monitor", "publicfacebook", "twitter", "instagram"].map((type) =>
      row("clients: brandwatchR, today's names of types", `queries take type=${type}`, async (subject) => {
        const { id } = await subject.project();
        for (const path of ["queries", "queries/summary"])
          demandEqual((await subject.get(`/projects/${id}/${path}`, [["type", type]])).status, 200, path);
      }),
    ),
    ...["/filters", "/metrics", "/locations", "/content/sources"].map((path) =>
      row("clients: brandwatchR, bwapi", `GET ${path} answers`, async (subject) => {
        const { status, body } = await subject.get(
          path,
          path === "/locations"
            ? [
                ["type", "country"],
                ["prefix", "ger"],
              ]
            : [],
        );
        demandEqual(status, 200, "status");
        demand(
          typeof body === "object" && body !== null && Object.keys(body).length > 0,
          "the answer is empty",
        );
      }),
    ),
    row("clients: brandwatchR bwr_wf_get", "GET …/workflow names what a mention may be", async (subject) => {
      const { id } = await subject.project();
      const { body } = await subject.get(`/projects/${id}/workflow`);
      demand(Array.isArray(body), "it is no array");
      demandEqual(
        body.map((one: Json) => one["name"]),
        ["Assignment", "Priority", "Checked", "Status"],
        "names",
      );
    }),
    row(
      "clients: bcr-api validate_rule_search",
      "searchwithin takes booleanQuery and language",
      async (subject) => {
        const answer = await subject.read("/query-validation/searchwithin", [
          ["booleanQuery", "a OR b"],
          ["language", "en"],
        ]);
        demandEqual(answer["errors"], [], "errors");
      },
    ),
    ...["audience", "ownerActivity", "audienceActivity"].map((name) =>
      row(
        "clients: bcr-api get_tw_analytics",
        `${name} of a channel is 404 where nobody has it`,
        async (subject) => {
          demandEqual(
            (await subject.get(await dataPath(subject, `${name}/queries/days`), await subject.range()))
              .status,
            404,
            "status",
          );
        },
      ),
    ),
  ],
};

async function dataPath(subject: Subject, call: string): Promise<string> {
  return `/projects/${(await subject.project()).id}/data/${call}`;
}

/** The range of the subject with both ends in another form. A `+` is encoded, too. */
async function withDates(subject: Subject, form: (day: string) => string): Promise<Parameters> {
  const others = withoutName(withoutName(await subject.range(), "startDate"), "endDate");
  const { startDate, endDate } = subject.options;
  return [...others, ["startDate", form(day(startDate))], ["endDate", form(day(endDate))], ["pageSize", 1]];
}

function day(date: string): string {
  return date.slice(0, 10);
}
