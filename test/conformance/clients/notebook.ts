/** A request that a cell of a notebook makes. `{queries.Pets}` in path and body is the id that was learned of it. */
export interface Step {
  readonly cell: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the project, or from the root with a slash. */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: unknown;
  /** Path of the value that is read from the answer, with dots. */
  readonly reads?: readonly string[];
  /** The id of the answer is remembered under this name; of a category those of its children, too. */
  readonly learns?: string;
  /** Why the local service does not answer it; it is then a 404. */
  readonly notServed?: string;
}

const BCR_SOURCES = [
  "qq",
  "news",
  "youtube",
  "forum",
  "twitter",
  "review",
  "facebook",
  "reddit",
  "tumblr",
  "instagram",
  "blog",
];
const RANGE = { startDate: "2026-02-28T05:00:00", endDate: "2026-03-04T05:00:00" };

/** How the newer SDK uploads a query: it validates, then posts (or puts, where the name is known). */
function upload(cell: string, name: string, booleanQuery: string): Step[] {
  return [
    {
      cell,
      method: "POST",
      path: "/query-validation",
      body: { booleanQuery, language: ["en"] },
      reads: ["errors"],
    },
    {
      cell,
      method: "POST",
      path: "queries",
      body: {
        booleanQuery,
        name,
        type: "monitor",
        contentSources: BCR_SOURCES,
        samplePercentage: 100,
        description: "",
        languages: [],
      },
      reads: ["name", "id"],
      learns: `queries.${name}`,
    },
    { cell, method: "GET", path: "queries", reads: ["results.0.id", "results.0.name"] },
  ];
}

const list = (name: string, field: string, values: unknown) => ({
  name,
  [field]: values,
  shared: "public",
  sharedProjectIds: ["{project}"],
  userName: "ann@acme.example",
  userId: 5001,
});

/** How both SDKs upload a rule: the search is validated, then the rule is posted with the name of its scope. */
function rule(cell: string, name: string, search: string, filter: object, ruleAction: object): Step[] {
  const isOfQuery = "queryId" in filter;
  return [
    {
      cell,
      method: "GET",
      path: "/query-validation/searchwithin",
      parameters: { booleanQuery: search, language: "en" },
      reads: ["errors"],
    },
    {
      cell,
      method: "POST",
      path: "rules",
      body: {
        ...{ name, enabled: true, projectId: "{project}", scope: isOfQuery ? "query" : "project" },
        filter: { search, ...filter, projectId: "{project}" },
        ruleAction,
      },
      reads: ["name", "id"],
      learns: `rules.${name}`,
    },
  ];
}

const ADDRESS = "test@acme.example";
const signal = (name: string, labels: object, notificationThreshold: number): Step => ({
  cell: "signals.upload",
  method: "POST",
  path: "signals/groups",
  body: {
    ...{ name, queryIds: ["{queries.ice cream cake}"] },
    ...{ subscribers: [{ emailAddress: ADDRESS, notificationThreshold }], ...labels },
  },
  reads: ["name", "id"],
  learns: `signals.${name}`,
});

/** DEMO.ipynb of bcr-api. */
// biome-ignore format: a table, one row on a line
export const BCR_API: readonly Step[] = [
  { cell: "project", method: "GET", path: "/projects", reads: ["results.0.id", "results.0.name"] },
  { cell: "queries", method: "GET", path: "queries", reads: ["results"] },
  ...upload("queries.upload", "Brandwatch Engagement", "engagingWith:brandwatch"),
  ...upload("queries.upload_all", "Pets", "dogs OR cats"),
  ...upload("queries.upload_all", "ice cream cake", '("ice cream" OR icecream) AND (cake)'),
  ...upload("queries.upload_all", "Test1", "dog OR cat"),
  ...upload("queries.upload_all", "Test2", "mouse OR rat"),
  ...upload("queries.upload_all", "Test3", "magpie OR parrot"),
  ...upload("queries.upload_all", "Test4", "llama OR rhea"),
  ...upload("queries.upload_all", "Test5", "capybara OR quokka"),
  { cell: "queries.delete", method: "DELETE", path: "queries/{queries.Pets}" },
  { cell: "queries.delete_all", method: "DELETE", path: "queries/{queries.Test2}" },
  { cell: "queries.delete_all", method: "DELETE", path: "queries/{queries.Test3}" },
  { cell: "groups", method: "GET", path: "querygroups", reads: ["results"] },
  { cell: "groups.upload", method: "GET", path: "/me", reads: ["id", "username"] },
  { cell: "groups.upload", method: "POST", path: "querygroups", body: { name: "group 1", queries: [{ name: "Test4", id: "{queries.Test4}" }, { name: "Test5", id: "{queries.Test5}" }], shared: "public", sharedProjectIds: ["{project}"], users: [{ id: 5001 }] }, reads: ["name", "id"], learns: "groups.group 1" },
  { cell: "groups.get_group_queries", method: "GET", path: "querygroups/{groups.group 1}", reads: ["queries.0.name", "queries.0.id"] },
  ...upload("groups.upload_queries_as_group", "Test6", "adcioahnanva"),
  ...upload("groups.upload_queries_as_group", "Test7", "ioanvauhekanv;"),
  { cell: "groups.upload_queries_as_group", method: "POST", path: "querygroups", body: { name: "group 2", queries: [{ name: "Test6", id: "{queries.Test6}" }, { name: "Test7", id: "{queries.Test7}" }], shared: "public", sharedProjectIds: ["{project}"], users: [{ id: 5001 }] }, reads: ["name", "id"], learns: "groups.group 2" },
  { cell: "groups.delete", method: "DELETE", path: "querygroups/{groups.group 1}" },
  { cell: "groups.deep_delete", method: "GET", path: "querygroups/{groups.group 2}", reads: ["queries"] },
  { cell: "groups.deep_delete", method: "DELETE", path: "queries/{queries.Test6}" },
  { cell: "groups.deep_delete", method: "DELETE", path: "queries/{queries.Test7}" },
  { cell: "get_mentions", method: "GET", path: "data/mentions/fulltext", parameters: { queryId: "{queries.Test5}", ...RANGE, pageSize: 5_000 }, reads: ["results"] },
  { cell: "get_mentions, filters", method: "GET", path: "data/mentions/fulltext", parameters: { queryId: "{queries.Test5}", ...RANGE, sentiment: "positive", twitterVerified: "False", impactMin: 50, xprofession: ["Politician", "Legal"], pageSize: 5_000 }, reads: ["results"] },
  { cell: "categories", method: "GET", path: "rulecategories", reads: ["results"] },
  { cell: "categories.upload", method: "POST", path: "categories", body: { name: "Droids", multiple: true, children: [{ name: "r2d2", id: null }, { name: "c3po", id: null }] }, learns: "categories.Droids" },
  { cell: "categories.upload_all", method: "POST", path: "categories", body: { name: "month", multiple: true, children: [{ name: "January", id: null }, { name: "February", id: null }] }, learns: "categories.month" },
  { cell: "categories.upload_all", method: "POST", path: "categories", body: { name: "Time of Day", multiple: true, children: [{ name: "morning", id: null }, { name: "evening", id: null }] } },
  { cell: "categories.upload, more children", method: "PUT", path: "rulecategories/{categories.Droids}", body: { name: "Droids", multiple: true, children: [{ name: "bb8", id: null }, { name: "r2d2", id: "{categories.Droids.r2d2}" }, { name: "c3po", id: "{categories.Droids.c3po}" }] } },
  { cell: "upload_rule_categories", method: "GET", path: "/query-validation/searchwithin", parameters: { booleanQuery: "chocolate OR chocco*", language: "en" }, reads: ["errors"] },
  { cell: "upload_rule_categories", method: "POST", path: "rulecategories", body: { name: "ice cream views", children: [{ name: "Positive views on chocolate", rules: [{ filter: { search: "chocolate OR chocco*", sentiment: ["positive"] } }] }, { name: "Vanilla", rules: [{ filter: { search: "vanilla" } }] }] }, learns: "categories.ice cream views" },
  { cell: "categories.delete", method: "DELETE", path: "categories/{categories.ice cream views}" },
  { cell: "categories.rename", method: "PUT", path: "rulecategories/{categories.month}", body: { id: "{categories.month}", name: "Months", multiple: true, children: [{ name: "January", id: "{categories.month.January}" }, { name: "February", id: "{categories.month.February}" }] } },
  { cell: "categories.delete, subcategories", method: "PUT", path: "rulecategories/{categories.month}", body: { name: "Months", multiple: true, children: [{ name: "January", id: "{categories.month.January}" }] } },
  { cell: "tags", method: "GET", path: "ruletags", reads: ["results"] },
  ...["yellow", "green", "blue", "purple"].map(
    (name): Step => ({ cell: "tags.upload", method: "POST", path: "ruletags", body: { name }, reads: ["name", "id"], learns: `tags.${name}` }),
  ),
  { cell: "tags.upload, rules", method: "GET", path: "/query-validation/searchwithin", parameters: { booleanQuery: "cat OR cats", language: "en" }, reads: ["errors"] },
  { cell: "tags.upload, rules", method: "POST", path: "ruletags", body: { name: "cats", rules: [{ filter: { search: "cat OR cats" } }] }, reads: ["name", "id"], learns: "tags.cats" },
  { cell: "tags.upload, new_name", method: "PUT", path: "ruletags/{tags.cats}", body: { id: "{tags.cats}", name: "Felis catus" }, reads: ["name", "id"] },
  { cell: "tags.delete", method: "DELETE", path: "ruletags/{tags.purple}" },
  { cell: "tags.delete_all", method: "DELETE", path: "ruletags/{tags.blue}" },
  { cell: "tags.delete_all", method: "DELETE", path: "ruletags/{tags.green}" },
  { cell: "authorlists", method: "GET", path: "group/author/summary", reads: ["results"] },
  { cell: "authorlists.upload", method: "POST", path: "group/author", body: list("Writers", "authors", ["Edward Albee", "Tenessee Williams"]), reads: ["name", "id"], learns: "authors.Writers" },
  { cell: "authorlists.get", method: "GET", path: "group/author/{authors.Writers}", reads: ["authors.0"] },
  { cell: "authorlists.upload, new_name", method: "PUT", path: "group/author/{authors.Writers}", body: { id: "{authors.Writers}", ...list("Playwrights", "authors", ["Edward Albee", "Susan Glaspell"]) }, reads: ["name", "id"] },
  { cell: "authorlists.add_items", method: "PUT", path: "group/author/{authors.Writers}", body: { id: "{authors.Writers}", ...list("Playwrights", "authors", ["Eugene O'Neill", "Edward Albee"]) }, reads: ["name", "id"] },
  { cell: "authorlists.delete", method: "DELETE", path: "group/author/{authors.Writers}" },
  { cell: "sitelists.upload", method: "POST", path: "group/site", body: list("Code", "domains", ["github.com", "stackoverflow.com"]), reads: ["name", "id"], learns: "sites.Code" },
  { cell: "sitelists.get", method: "GET", path: "group/site/{sites.Code}", reads: ["domains.0"] },
  { cell: "locationlists.upload", method: "POST", path: "group/location", body: list("Cities", "locations", [{ id: "bos1", name: "Boston", type: "city", fullName: "x" }]), reads: ["name", "id"], learns: "places.Cities" },
  {
    cell: "locationlists.get",
    method: "GET",
    path: "group/location/{places.Cities}",
    reads: ["locations.0.fullName"],
  },
  { cell: "get_mentions, lists", method: "GET", path: "data/mentions/fulltext", parameters: { queryId: "{queries.Test5}", ...RANGE, siteGroup: "{sites.Code}", locationGroup: "{places.Cities}" }, reads: ["results"] },
  { cell: "get_chart", method: "GET", path: "data/volume/sentiment/queries", parameters: { queryId: "{queries.Test1}", ...RANGE }, reads: ["results.0.values"] },
  { cell: "get_chart, categories", method: "GET", path: "data/volume/categories/queries", parameters: { queryId: "{queries.Test1}", ...RANGE, dim1Args: "{categories.Droids}" }, reads: ["results"] },
  { cell: "rules", method: "GET", path: "rules", reads: ["results"] },
  ...rule("rules.upload", "rule", '"cat food" OR "dog food"', { queryId: ["{queries.Test1}", "{queries.Test4}"] }, { priority: "high" }),
  { cell: "rules.upload", method: "GET", path: "rules", reads: ["results.0.filter.queryId", "results.0.ruleAction.priority"] },
  { cell: "rules.upload, backfill", method: "POST", path: "bulkactions/rule/{rules.rule}" },
  ...rule("rules.upload_all", "rule1", "caknvfoga;vnaei", {}, { sentiment: "positive" }),
  ...rule("rules.upload_all", "rule2", "(bloop NEAR/10 blorp)", { queryId: ["{queries.Test1}"] }, { starred: true }),
  ...rule("rules.upload_all", "rule3", '"hello world"', { queryId: ["{queries.Test1}", "{queries.Test4}"] }, { sentiment: "positive" }),
  { cell: "rules.upload_all, backfill", method: "POST", path: "bulkactions/rule/{rules.rule3}" },
  { cell: "rules.upload, the same name", method: "PUT", path: "rules/{rules.rule1}", body: { id: "{rules.rule1}", projectName: "Brands", queryName: null, name: "rule1", enabled: true, filter: { projectId: "{project}" }, ruleAction: { sentiment: "negative" }, projectId: "{project}", scope: "project" }, reads: ["name", "id"] },
  ...["rule", "rule1", "rule2", "rule3"].map((name): Step => ({ cell: "rules.delete", method: "DELETE", path: `rules/{rules.${name}}` })),
  { cell: "signals", method: "GET", path: "signals/groups", reads: ["results"] },
  signal("New Test", { includeCategoryIds: ["{categories.Droids}"] }, 1),
  signal("Signal Me", { includeCategoryIds: ["{categories.Droids.r2d2}", "{categories.Droids.c3po}"] }, 3),
  signal("Signal Test", { includeTagIds: ["{tags.yellow}"] }, 2),
  { cell: "signals.rename", method: "GET", path: "signals/groups/{signals.New Test}", reads: ["name", "queryIds.0", "subscribers.0.emailAddress"] },
  { cell: "signals.rename", method: "PUT", path: "signals/groups/{signals.New Test}", body: { id: "{signals.New Test}", name: "Newer", queryIds: ["{queries.ice cream cake}"], subscribers: [{ emailAddress: ADDRESS, notificationThreshold: 1 }], includeTagIds: [], excludeTagIds: [], includeCategoryIds: ["{categories.Droids}"], excludeCategoryIds: [] }, reads: ["name", "id"] },
  { cell: "signals.delete", method: "DELETE", path: "signals/groups/{signals.New Test}" },
  { cell: "signals.delete_all", method: "DELETE", path: "signals/groups/{signals.Signal Me}" },
  { cell: "signals.delete_all", method: "DELETE", path: "signals/groups/{signals.Signal Test}" },
  { cell: "get_date_range_comparison", method: "POST", path: "queries/{queries.Test1}/date-range", body: { name: "Launch", startDate: "2026-03-01", endDate: "2026-03-08" }, reads: ["id", "name"], learns: "ranges.Launch" },
  { cell: "get_date_range_comparison", method: "GET", path: "queries/{queries.Test1}/date-range", reads: ["0.id", "0.name"] },
  { cell: "get_date_range_comparison", method: "GET", path: "data/volume/dateRanges/days", parameters: { queryId: "{queries.Test1}", ...RANGE, dateRanges: "{ranges.Launch}" }, reads: ["results.0.values"] },
  { cell: "patch_mentions", method: "POST", path: "ruletags", body: { name: "cold" }, reads: ["name", "id"] },
  { cell: "patch_mentions", method: "PATCH", path: "data/mentions", body: [{ queryId: "{queries.ice cream cake}", resourceId: "{mention}", addTag: ["cold"] }], reads: ["0"] },
  { cell: "patch_mentions", method: "PATCH", path: "data/mentions", body: [{ queryId: "{queries.ice cream cake}", resourceId: "{mention}", starred: true }], reads: ["0"] },
  { cell: "patch_mentions", method: "PATCH", path: "data/mentions", body: [{ queryId: "{queries.ice cream cake}", resourceId: "{mention}", addCategories: ["{categories.Droids.r2d2}"] }], reads: ["0"] },
  { cell: "get_mention", method: "GET", path: "query/{queries.ice cream cake}/mentionfind", parameters: { resourceId: "{mention}" }, reads: ["mention.resourceId"] },
  {
    cell: "queries.rename",
    method: "GET",
    path: "queries/{queries.Test1}",
    reads: ["type", "booleanQuery", "name"],
  },
  { cell: "queries.rename", method: "PUT", path: "queries/{queries.Test1}", body: { booleanQuery: "dog OR cat", id: "{queries.Test1}", name: "Dogs", type: "monitor", contentSources: BCR_SOURCES, samplePercentage: 100, description: "", languages: [] }, reads: ["name", "id"] },
];

/** DEMO.ipynb of api_sdk, where it asks otherwise than the newer one. */
// biome-ignore format: a table, one row on a line
export const API_SDK: readonly Step[] = [
  { cell: "project", method: "GET", path: "/projects/summary", reads: ["results.0.id", "results.0.name"] },
  { cell: "queries", method: "GET", path: "queries", reads: ["results"] },
  { cell: "queries.upload", method: "GET", path: "/query-validation", parameters: { query: "dogs OR cats", language: ["en"] }, reads: ["errors"] },
  { cell: "queries.upload", method: "POST", path: "queries", body: { name: "Old pets", includedTerms: "dogs OR cats", languages: ["en"], type: "search string", industry: "general-(recommended)", samplePercent: 100, languageAgnostic: false }, reads: ["name", "id"], learns: "queries.Old pets" },
  { cell: "queries.upload, backfill", method: "POST", path: "queries/{queries.Old pets}/backfill", body: { minDate: "2026-01-01", queryId: "{queries.Old pets}" } },
  {
    cell: "queries.rename",
    method: "GET",
    path: "queries/{queries.Old pets}",
    reads: ["type", "includedTerms"],
  },
  { cell: "queries.rename", method: "PUT", path: "queries/{queries.Old pets}", body: { id: "{queries.Old pets}", name: "Older pets", includedTerms: "dogs OR cats", languages: ["en"], type: "search string", industry: "general-(recommended)", samplePercent: 100, languageAgnostic: false }, reads: ["name", "id"] },
  { cell: "tags", method: "GET", path: "tags", reads: ["results"] },
  { cell: "tags.upload", method: "POST", path: "tags", body: { name: "old yellow" }, reads: ["name", "id"], learns: "tags.old yellow" },
  { cell: "tags.delete", method: "DELETE", path: "tags/{tags.old yellow}" },
  { cell: "categories", method: "GET", path: "categories", reads: ["results"] },
  { cell: "categories.upload", method: "POST", path: "categories", body: { name: "Old colors", multiple: true, children: [{ name: "red" }] }, learns: "categories.Old colors" },
  { cell: "categories.upload, more", method: "PUT", path: "categories/{categories.Old colors}", body: { name: "Old colors", multiple: true, children: [{ name: "red" }, { name: "blue" }] } },
  { cell: "get_mentions", method: "GET", path: "data/mentions/fulltext", parameters: { queryId: "{queries.Old pets}", ...RANGE, pageSize: 5_000, orderBy: "date", orderDirection: "asc" }, reads: ["results"] },
  { cell: "get_topics", method: "GET", path: "data/volume/topics/queries", parameters: { queryId: "{queries.Old pets}", ...RANGE }, reads: ["topics"] },
  { cell: "get_authors", method: "GET", path: "data/volume/topauthors/queries", parameters: { queryId: "{queries.Old pets}", ...RANGE }, reads: ["results"] },
  { cell: "rules", method: "GET", path: "rules", reads: ["results"] },
  { cell: "rule_action", method: "POST", path: "tags", body: { name: "animal food" }, reads: ["name", "id"] },
  ...rule("rules.upload", "old rule", '"cat food" OR "dog food"', { queryId: ["{queries.Old pets}"] }, { addTag: ["animal food"] }),
  { cell: "rules.upload, backfill", method: "POST", path: "bulkactions/rule/{rules.old rule}" },
  { cell: "rule_action", method: "POST", path: "categories", body: { name: "Example", multiple: true, children: [{ name: "One" }] }, learns: "categories.Example" },
  ...rule("rules.upload_all", "old rule1", "caknvfoga;vnaei", {}, { addCategories: ["{categories.Example.One}"] }),
  ...["old rule", "old rule1"].map((name): Step => ({ cell: "rules.delete", method: "DELETE", path: `rules/{rules.${name}}` })),
];
