import type { SourceClient } from "../../../src/monitor/source/source-client.ts";

const SCOPE = {
  projectId: "19",
  queryIds: ["7"],
  startDate: Date.UTC(2026, 0, 1),
  endDate: Date.UTC(2026, 1, 1),
};

/** Every call of the client, by its method. */
export const CALLS: Readonly<Record<string, (client: SourceClient) => Promise<unknown>>> = {
  client: (client) => client.client(),
  projects: (client) => client.projects(),
  queries: (client) => client.queries("19"),
  mentionsPage: (client) => client.mentionsPage(SCOPE),
  hashtags: (client) => client.hashtags(SCOPE),
  "extensions.queryGroups": (client) => client.extensions.queryGroups("19"),
  "extensions.topAuthors": (client) => client.extensions.topAuthors({ ...SCOPE, limit: 50 }),
  ask: (client) => client.ask("tags", { places: { projectId: "19" }, parameters: [] }),
};

/** Creates a list: a call that writes, by its name. */
export const createList = (client: SourceClient): Promise<unknown> =>
  client.ask("create-location-list", {
    places: { projectId: "19" },
    parameters: [],
    body: { name: "Cities", locations: [{ id: "abc" }], sharedProjectIds: [19], shared: "public" },
  });
