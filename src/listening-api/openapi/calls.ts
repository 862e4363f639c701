/** A row of the table of calls in `docs/listening-api.md`, which `npm run calls` writes from here, as the OpenAPI document is. */
export interface CallRow {
  readonly methods: readonly Method[];
  /** `…` stands for `/projects/{projectId}`. */
  readonly paths: readonly string[];
  /** What the description of the service has of it. */
  readonly specified: string;
  /** What programs send and read beyond that. */
  readonly clients: string;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

const row = (methods: string, paths: string, specified: string, clients: string): CallRow => ({
  methods: methods.split(" ") as Method[],
  paths: paths.split(" "),
  specified,
  clients,
});

/** Every call that is served, in the order of the table. */
export const CALLS: readonly CallRow[] = [
  row(
    "GET POST",
    "/oauth/token",
    "all of it; refusals in OAuth's shape",
    "the parameters in the query, a form or JSON",
  ),
  row("GET", "/client", "all of it", "the tags that set the rate limit"),
  row("GET", "/me", "all of it", "`username`, to check a token"),
  row("GET", "/user", "linked from `/me`", ""),
  row("GET POST", "/logout", "linked from `/me`", "revokes the token that was sent"),
  row("GET", "/projects/summary", "all of it", "list parameters"),
  row("GET", "/projects", "all of it", "list parameters"),
  row("GET", "…", "all of it", ""),
  row("GET", "…/queries/summary", "all of it", "list parameters"),
  row(
    "GET",
    "…/queries",
    "all of it, `type`",
    "today's names of types; `nameContains`, `ids`; `booleanQuery`, `contentSources`, `startDate`, `locationFilter` in the record",
  ),
  row(
    "POST",
    "…/queries",
    "",
    "`booleanQuery` (or `includedTerms`), checked as by `query-validation`; finds stored mentions; `locationFilter` with `includedLocations`, `excludedLocations`",
  ),
  row(
    "GET PUT PATCH DELETE",
    "…/queries/{id}",
    "",
    "fields missing in the body stay; stored mentions show a new name at once; deleting also deletes the mentions",
  ),
  row(
    "GET POST",
    "…/queries/explain",
    "",
    "not of the live service: why the queries have a mention (`resourceId`, `url`) or a `text`, or do not",
  ),
  row(
    "GET POST",
    "…/queries/{queryId}/date-range",
    "",
    "`name`, `startDate`, `endDate`; the list is an array without an envelope",
  ),
  row(
    "GET PUT PATCH DELETE",
    "…/queries/{queryId}/date-range/{id}",
    "",
    "a chart shows some by `dateRanges`",
  ),
  row(
    "GET POST",
    "…/queries/{id}/backfill",
    "",
    "POST searches stored mentions back to `minDate`, and answers with how many it found; GET lists what was done so",
  ),
  row(
    "GET PATCH",
    "…/queries/{id}/mentions/{resourceId}",
    "",
    "one mention; the fields of PATCH are those of `…/data/mentions`, the answer is what the mention is then",
  ),
  row("GET", "…/queries/{id}/mentions/{resourceId}/content", "", "the same with its whole text"),
  row("GET", "…/querygroups/summary", "", "list parameters"),
  row("GET POST", "…/querygroups", "", "`queries` as ids or as `{id, name}`; `shared`, `sharedProjectIds`"),
  row("GET PUT PATCH DELETE", "…/querygroups/{id}", "", ""),
  row("GET", "…/categories", "all of it, uncounted", ""),
  row("POST", "…/categories", "", "`children` as names or as `{name}`"),
  row(
    "GET PUT PATCH DELETE",
    "…/categories/{id}",
    "",
    "children in the body stay or are created, the others are deleted; mentions keep their ids, and show a new name at once",
  ),
  row("GET POST", "…/rulecategories", "", "`rules` of a child: filters by their names, with `search`"),
  row("GET PUT PATCH DELETE", "…/rulecategories/{id}", "", "rules label what is stored, and what arrives"),
  row("GET POST", "…/tags", "", "a `name`"),
  row("GET PUT PATCH DELETE", "…/tags/{id}", "", "stored mentions show a new name at once"),
  row("GET POST", "…/ruletags", "", "the same tags, with `rules`, `matchingType`"),
  row("GET PUT PATCH DELETE", "…/ruletags/{id}", "", "rules label what is stored, and what arrives"),
  row(
    "GET POST",
    "…/rules",
    "",
    "[rules that act](#rules-that-act): `filter` with `queryId`, `ruleAction`, `scope`, `enabled`; `enabled`, `ruleContains` (of its search), `orderDirection`; `getPaused=false` leaves paused ones out",
  ),
  row("GET PUT PATCH DELETE", "…/rules/{id}", "", "fields missing in the body stay"),
  row(
    "POST",
    "…/bulkactions/rule/{id} …/rules/{id}/backfill",
    "",
    "the rule acts on stored mentions, with `earliest` on those from that date on",
  ),
  row(
    "POST",
    "…/bulkactions/ruletags/{id} …/bulkactions/rulecategories/{id}",
    "",
    "the same for the rules of a tag, or of a category or subcategory",
  ),
  row(
    "POST",
    "…/rulebackfill/rulecategories/{id}",
    "",
    "the same, from `startDate` on; a job for each subcategory with rules, which is finished when the call answers",
  ),
  row(
    "GET",
    "…/rulebackfill/rulecategories",
    "",
    "categories for which that was asked since `sinceDate`: finished, or unfinished while it works or where it broke off; then ask again",
  ),
  row(
    "GET POST",
    "…/signals/groups",
    "",
    "`queryIds`, `subscribers`, ids of tags and categories to include and exclude; kept and shown: Earshot's own [rules](../rules/README.md) are what notifies",
  ),
  row("GET PUT PATCH DELETE", "…/signals/groups/{id}", "", ""),
  row("GET", "…/group/author/summary", "all of it, `projects`", ""),
  row("GET POST", "…/group/author", "", "`authors`"),
  row(
    "GET PUT PATCH DELETE",
    "…/group/author/{id}",
    "",
    "read before it is sent as the filter `authorGroup`",
  ),
  row("GET", "…/group/site/summary", "all of it, `projects`", ""),
  row("GET POST", "…/group/site", "", "`domains`"),
  row("GET PUT PATCH DELETE", "…/group/site/{id}", "", ""),
  row("GET", "…/group/location/summary", "", "like the other two"),
  row("POST", "…/group/location", "all of it", "a repeated request returns the existing list"),
  row("GET", "…/group/location", "", ""),
  row("GET PUT PATCH DELETE", "…/group/location/{id}", "", ""),
  row(
    "GET",
    "…/data/mentions",
    "all of it",
    "`name[]`, dates in six forms, the twins `x…`, filter names that were renamed; no `nextCursor` on an empty page",
  ),
  row("GET", "…/data/mentions/fulltext", "like `…/data/mentions`", ""),
  row(
    "PATCH POST",
    "…/data/mentions",
    "",
    "sentiment, status, priority, assignment, starred, checked, location, `addTag`, `removeTag`, `addCategories`, `removeCategories`, `removeStatus`, …; a thousand in one call, all or none; `updated` moves",
  ),
  row("GET", "…/data/mentions/count", "", "`mentionsCount` of the range"),
  row(
    "GET",
    "…/data/mentions/tweets …/data/mentions/facebookposts …/data/mentions/facebookcomments",
    "",
    "mentions of that page type",
  ),
  row("GET", "…/query/{id}/mentionfind", "", "by `resourceId` or `url`; 404 if there is none"),
  row(
    "GET",
    "…/data/hashtags …/data/emoticons …/data/urls …/data/mentionedauthors",
    "all of it",
    "filters, `limit`",
  ),
  row("GET", "…/data/sharedsites", "", "domains of the links in the texts"),
  row(
    "GET",
    "…/data/{aggregate}/{dimension1}/{dimension2}",
    "",
    "9 aggregates, 30 dimensions, `dim1Args`, `dim2Args`; with the dimension `dateRanges` the chart is about these times alone",
  ),
  row("GET", "…/data/volume/topauthors/queries", "", "`limit`, `orderBy`, `orderDirection`"),
  row("GET", "…/data/volume/topsites/queries …/data/volume/queries/topsites", "", "the same, by domain"),
  row(
    "GET",
    "…/data/volume/toptweeters/queries …/data/volume/topfacebookusers/queries",
    "",
    "top authors of that page type",
  ),
  row(
    "GET",
    "…/data/volume/topics/queries",
    "",
    "words, phrases and hashtags that are unusual compared with the other queries of the project, with sentiment and burst; large ranges are sampled",
  ),
  row("GET", "…/data/volume/topics/compare/gender", "", "the same, with their volume by gender"),
  row(
    "GET",
    "…/data/topics",
    "",
    "today's shape; `extract`: people, places and organisations are not distinguished, so there are none",
  ),
  row(
    "GET",
    "…/data/demographics/gender …/data/demographics/interest …/data/demographics/profession …/data/demographics/accountTypes …/data/demographics/countries …/data/demographics/cities",
    "",
    "counted from the fields that mentions have",
  ),
  row(
    "GET",
    "…/demographics/gender …/demographics/interest …/demographics/profession …/demographics/accountTypes …/demographics/countries …/demographics/cities",
    "",
    "the same",
  ),
  row("GET", "/filters /metrics /aggregates /dimensions", "", "names and values that the calls above take"),
  row("GET", "/locations", "", "`type`, `prefix`"),
  row("GET", "…/workflow", "", "values of status and priority, and the users of the client"),
  row("GET POST", "/query-validation", "", "200 always: `errors` and `issues` with their positions"),
  row("GET POST", "/query-validation/searchwithin", "", "`query` or `booleanQuery`"),
  row("GET", "…/users", "", "the users of the client"),
  row("GET", "…/alerts /content/sources /content/sources/list", "", "empty lists: none are kept"),
  row("GET", "…/alerts/{id}", "", "404: none are kept"),
  row(
    "GET",
    "/openapi",
    "",
    "not of the live service: this table as an OpenAPI document, also as `/openapi.json`",
  ),
];
