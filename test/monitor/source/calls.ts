import type { SourceClient } from "../../../src/monitor/source/source-client.ts";

const SCOPE = {
  projectId: "19",
  queryIds: ["7"],
  startDate: Date.UTC(2026, 0, 1),
  endDate: Date.UTC(2026, 1, 1),
};

const LIST = { name: "Cities", locationIds: ["abc"], sharedProjectIds: ["19"], shared: "public" };

/** Every call of the client, by its method. */
export const CALLS: Readonly<Record<string, (client: SourceClient) => Promise<unknown>>> = {
  client: (client) => client.client(),
  me: (client) => client.me(),
  projects: (client) => client.projects(),
  detailedProjects: (client) => client.detailedProjects(),
  project: (client) => client.project("19"),
  queries: (client) => client.queries("19"),
  detailedQueries: (client) => client.detailedQueries({ projectId: "19", type: "search string" }),
  categories: (client) => client.categories("19"),
  siteLists: (client) => client.siteLists("19"),
  authorLists: (client) => client.authorLists("19"),
  createLocationList: (client) => client.createLocationList({ projectId: "19", list: LIST }),
  mentionsPage: (client) => client.mentionsPage(SCOPE),
  fullText: (client) => client.mentionsPage({ ...SCOPE, fullText: true }),
  hashtags: (client) => client.hashtags(SCOPE),
  emoticons: (client) => client.emoticons(SCOPE),
  urls: (client) => client.urls(SCOPE),
  mentionedAuthors: (client) => client.mentionedAuthors(SCOPE),
  "extensions.locationLists": (client) => client.extensions.locationLists("19"),
  "extensions.tags": (client) => client.extensions.tags("19"),
  "extensions.ruleTags": (client) => client.extensions.ruleTags("19"),
  "extensions.ruleCategories": (client) => client.extensions.ruleCategories("19"),
  "extensions.queryGroups": (client) => client.extensions.queryGroups("19"),
  "extensions.mentionCount": (client) => client.extensions.mentionCount(SCOPE),
  "extensions.topAuthors": (client) => client.extensions.topAuthors({ ...SCOPE, limit: 50 }),
  "extensions.chart": (client) =>
    client.extensions.chart({
      ...SCOPE,
      aggregate: "volume",
      dimension1: "days",
      dimension2: "categories",
      dimension2Args: ["1", "2"],
    }),
  ask: (client) => client.ask("tags", { places: { projectId: "19" }, parameters: [] }),
};
