import { demand, demandEqual } from "../demand.ts";
import { mentions, withoutName } from "../mention-calls.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { demandShape, type Shape } from "../shape.ts";
import { isJson, type Json, type Parameters, resultsOf, type Subject } from "../subject.ts";

/** The operator's contract of today and its pages of v1.0, as two public repositories have them. */
const CONTRACT = "clients: the operator's own contract prints it";
const PAGES = "clients: the operator's pages of v1.0 print it";

/** Lists that are printed, with fields of the records beside them. */
// biome-ignore format: a table, one row on a line
const LISTS: readonly (readonly [string, Shape])[] = [
  ["/projects/summary", { id: "integer", name: "string", description: "string", billableClientId: "integer", billableClientIsPitch: "boolean" }],
  ["…/queries/summary", { id: "integer", name: "string", type: "string", creationDate: "string", lastModificationDate: "string", lockedQuery: "boolean", createdByWizard: "boolean" }],
  ["…/queries", { id: "integer", name: "string", languages: "array", type: "string", startDate: "string", sampled: "boolean", contentSources: "array" }],
  ["…/querygroups", { id: "integer", name: "string", shared: "string", sharedProjectIds: "array", queries: "array", users: "array" }],
  ["…/tags", { id: "integer", name: "string" }],
  ["…/categories", { id: "integer", name: "string", multiple: "boolean", children: "array" }],
  ["…/rules", { id: "integer", projectId: "integer", name: "string", filter: "object", scope: "string", enabled: "boolean", ruleAction: "object" }],
  ["…/group/author/summary", { id: "integer", name: "string", shared: "string", sharedProjectIds: "array", authors: "array", userId: "integer", userName: "string" }],
  ["…/group/location/summary", { id: "integer", name: "string", shared: "string", sharedProjectIds: "array", locations: "array", userId: "integer", userName: "string" }],
  ["…/group/site/summary", { id: "integer", name: "string", shared: "string", sharedProjectIds: "array", domains: "array", userId: "integer", userName: "string" }],
];

/** Parameters of these lists that the contract has. */
const LIST_PARAMETERS: Readonly<Record<string, Parameters>> = {
  "/projects/summary": [["nameContains", "a"]],
  "…/queries": [
    ["nameContains", "a"],
    ["type", "monitor"],
    ["type", "publicFacebook"],
    ["includeHidden", "false"],
    ["includeInactive", "false"],
  ],
  "…/rules": [
    ["enabled", "true"],
    ["ruleContains", "a"],
    ["orderDirection", "desc"],
  ],
};

/** What else is read: the path with its own parameters, and what the printed answer has. */
// biome-ignore format: a table, one row on a line
const READS: readonly (readonly [string, string, Parameters, Shape])[] = [
  [CONTRACT, "/me", [], { id: "integer", username: "string", uiRole: "string", client: "object", creationDate: "string" }],
  [PAGES, "/client", [], { id: "integer", name: "string", tags: "object" }],
  [PAGES, "/projects", [], { results: "array" }],
  [CONTRACT, "…", [], { id: "integer", name: "string", defaultLangCodes: "array", billableClientId: "integer" }],
  [PAGES, "/filters", [], {}],
  [PAGES, "/metrics", [], { sentiments: "array", accountTypes: "array", genders: "array", pageTypes: "array", subTypes: "array" }],
  [CONTRACT, "…/rulebackfill/rulecategories", [["sinceDate", "2026-01-01"]], { resultsTotal: "integer", results: "array" }],
];

/** Calls about mentions: beside the query and its dates. */
// biome-ignore format: a table, one row on a line
const DATA: readonly (readonly [string, string, Parameters, Shape])[] = [
  [CONTRACT, "mentions", [["pageSize", 1], ["page", 0]], { results: "array", resultsPage: "integer", resultsPageSize: "integer", resultsTotal: "integer", scaledResultsTotal: "integer", startDate: "string", endDate: "string" }],
  [PAGES, "mentions", [["page", 0], ["pageSize", 1], ["pageType", "twitter"], ["sentiment", "neutral"]], { results: "array", resultsTotal: "integer" }],
  [PAGES, "mentions", [["pageSize", 100], ["orderBy", "date"], ["orderDirection", "asc"]], { results: "array", resultsTotal: "integer" }],
  [PAGES, "mentions", [["pageSize", 100], ["orderBy", "added"], ["orderDirection", "asc"], ["sinceAdded", "2026-01-01T00:00:00.000+0000"]], { results: "array", resultsTotal: "integer" }],
  [PAGES, "mentions/fulltext", [["pageSize", 1]], { results: "array", resultsTotal: "integer" }],
  [CONTRACT, "mentions/count", [], { mentionsCount: "integer" }],
  [CONTRACT, "volume/topics/queries", [["orderBy", "burst"], ["limit", 2]], { topics: "array" }],
  [CONTRACT, "volume/sentiment/days", [], { aggregate: "string", dimension1: "string", dimension2: "string", results: "array" }],
  [CONTRACT, "hashtags", [], { results: "array", orderBy: "string", orderDirection: "string" }],
  [PAGES, "emoticons", [], { results: "array" }],
  [PAGES, "urls", [], { results: "array" }],
  [PAGES, "mentionedauthors", [], { results: "array" }],
];

/** Lists that are made and deleted, with what is printed of their bodies. */
// biome-ignore format: a table, one row on a line
const MADE: readonly (readonly [string, string, Json, number])[] = [
  [CONTRACT, "tags", {}, 201],
  // With an empty id, as it is printed.
  [CONTRACT, "categories", { children: [{ name: "Subcategory 1", id: "" }, { name: "Subcategory 2" }], multiple: true }, 201],
  [CONTRACT, "group/author", { authors: ["one", "two"], shared: "public" }, 200],
  [CONTRACT, "group/site", { domains: ["news.example", "www.news.example/world"], shared: "public" }, 200],
];

/** Things that other rows may need: made as clients make them, then deleted as it is printed. */
// biome-ignore format: a table, one row on a line
const DELETED: readonly (readonly [string, (queryId: number) => Json])[] = [
  ["queries", () => ({ booleanQuery: "documented" })],
  ["querygroups", (queryId) => ({ queries: [queryId] })],
  ["rules", (queryId) => ({ filter: { queryId: [queryId], search: '"dropped call"' }, ruleAction: { sentiment: "negative" } })],
];

export const documented: Part = {
  name: "Requests that the operator's documents print",
  rows: [
    ...LISTS.map(([path, shape]) =>
      row(CONTRACT, `GET ${path} has the fields that are printed`, async (subject) => {
        const body = await subject.read(await whole(subject, path));
        for (const record of resultsOf(body)) demandShape(record, shape, "a record");
      }),
    ),
    ...LISTS.filter(([path]) => !path.startsWith("…/group/")).map(([path]) =>
      row(CONTRACT, `GET ${path} takes the parameters that are printed`, async (subject) => {
        const asked = [...(LIST_PARAMETERS[path] ?? []), ["page", -1], ["pageSize", -1]] as const;
        const { status, text } = await subject.get(await whole(subject, path), asked);
        demandEqual(status, 200, `status (${text.slice(0, 120)})`);
      }),
    ),
    row(CONTRACT, "GET …/queries/{id} has the fields that are printed", async (subject) => {
      const { id, queryIds } = await subject.project();
      demandShape(
        await subject.read(`/projects/${id}/queries/${queryIds[0]}`),
        {
          id: "integer",
          name: "string",
          type: "string",
          booleanQuery: "string?",
          samplePercentage: "number",
        },
        "the query",
      );
    }),
    row(CONTRACT, "GET …/workflow is an array of names with children", async (subject) => {
      const { body } = await subject.get(await whole(subject, "…/workflow"));
      demand(Array.isArray(body), "it is no array");
      for (const one of body)
        demandShape(one, { id: "integer", name: "string", children: "array" }, "a part");
    }),
    ...READS.map(([section, path, parameters, shape]) =>
      row(section, `GET ${path} has what is printed`, async (subject) => {
        demandShape(await subject.read(await whole(subject, path), parameters), shape, "the answer");
      }),
    ),
    ...DATA.map(([section, path, parameters, shape]) =>
      row(section, `GET …/data/${path} with ${namesOf(parameters)} has what is printed`, async (subject) => {
        const asked = [...(await subject.range()), ...parameters];
        demandShape(await subject.read(await whole(subject, `…/data/${path}`), asked), shape, "the answer");
      }),
    ),
    row(PAGES, "GET …/data/mentions with category gives the mentions of a subcategory", async (subject) => {
      const categories = resultsOf(await subject.read(await whole(subject, "…/categories")));
      const children = categories.flatMap(({ children }) => (Array.isArray(children) ? children : []));
      if (children.length === 0) return notApplicable("there is no subcategory");
      for (const mention of resultsOf(await mentions(subject, [["category", children[0].id]])))
        demand(
          (mention["categories"] as readonly unknown[]).includes(children[0].id),
          "a mention is not of the category",
        );
      return undefined;
    }),
    row(PAGES, "GET …/data/volume/queryGroups/weeks counts a group by weeks", async (subject) => {
      const [group] = resultsOf(await subject.read(await whole(subject, "…/querygroups")));
      if (group === undefined) return notApplicable("the project has no query group");
      const asked = [["queryGroupId", Number(group["id"])], ...withoutName(await subject.range(), "queryId")];
      const path = await whole(subject, "…/data/volume/queryGroups/weeks");
      const [line] = resultsOf(await subject.read(path, asked as Parameters));
      return demandEqual([line?.["id"], line?.["name"]], [group["id"], group["name"]], "id and name");
    }),
    row(CONTRACT, "a topic says what is printed", async (subject) => {
      const path = await whole(subject, "…/data/volume/topics/queries");
      const { topics } = await subject.read(path, await subject.range());
      const shape = { id: "string", label: "string", volume: "integer", type: "string" } as const;
      for (const topic of Array.isArray(topics) ? topics.slice(0, 5) : [])
        demandShape(
          topic,
          { ...shape, sentiment: "object", sentimentScore: "number", days: "array", pageType: "object" },
          "a topic",
        );
    }),
    ...MADE.map(([section, path, fields, status]) =>
      row(
        section,
        `POST …/${path}/ makes one and DELETE …/${path}/{id} deletes it`,
        async (subject) => {
          const made = await make(subject, `${path}/`, fields, status);
          for (const [name, value] of Object.entries(fields))
            if (name !== "children") demandEqual(made[name], value, name);
          await remove(subject, path, made);
        },
        "writes",
      ),
    ),
    row(
      CONTRACT,
      "POST …/group/location/ takes several places, and DELETE …/group/location/{id} deletes the list",
      async (subject) => {
        const { id } = await subject.project();
        const locations = ["new8", "bos1", "phig", "bali", "wdc0"].map((one) => ({ id: one }));
        const body = { locations, sharedProjectIds: [id], shared: "public" };
        const made = await make(subject, "group/location/", body, 200);
        demandEqual((made["locations"] as readonly unknown[]).length, 5, "locations");
        await remove(subject, "group/location", made);
        // As the schema beside the example has it, under the path that the contract prints.
        const asTexts = await subject.send("POST", `/project/${id}/group/location`, {
          json: { name: NAME, locations: ["bos1"] },
        });
        demandEqual(asTexts.status, 200, `status (${asTexts.text.slice(0, 120)})`);
        await remove(subject, "group/location", asTexts.body as Json);
      },
      "writes",
    ),
    ...DELETED.map(([path, fields]) =>
      row(
        CONTRACT,
        `DELETE …/${path}/{id} deletes one`,
        async (subject) => {
          const { queryIds } = await subject.project();
          await remove(subject, path, await make(subject, path, fields(queryIds[0] ?? 0), 201, 200));
        },
        "writes",
      ),
    ),
    row(
      CONTRACT,
      "POST …/rulebackfill/rulecategories/{id} answers with jobs, and the list has the category",
      async (subject) => {
        const children = [
          { name: "Fires", rules: [{ filter: { search: "documented" } }] },
          { name: "Other" },
        ];
        const made = await make(subject, "rulecategories", { children }, 201);
        const path = await whole(subject, "…/rulebackfill/rulecategories");
        const { status, body } = await subject.send("POST", `${path}/${made["id"]}`, {
          parameters: [["startDate", "2026-01-01"]],
        });
        demandEqual(status, 200, "status");
        demand(Array.isArray(body), "the answer is no array");
        demandEqual(body.length, 1, "jobs");
        demandShape(
          body[0],
          { id: "integer", ruleId: "integer", requesterId: "integer", status: "string" },
          "a job",
        );
        const listed = await subject.send("GET", path, { parameters: [["sinceDate", "2026-01-01"]] });
        const found = isJson(listed.body)
          ? resultsOf(listed.body).find((one) => one["categoryId"] === made["id"])
          : undefined;
        demandShape(found, { categoryId: "integer", status: "string", type: "string" }, "the category");
        await remove(subject, "rulecategories", made);
      },
      "writes",
    ),
  ],
};

const NAME = "Documented";

async function whole(subject: Subject, path: string): Promise<string> {
  return path.replace("…", `/projects/${(await subject.project()).id}`);
}

function namesOf(parameters: Parameters): string {
  return parameters.length === 0 ? "its dates" : parameters.map(([name]) => name).join(", ");
}

async function make(
  subject: Subject,
  path: string,
  fields: Json,
  ...expected: readonly number[]
): Promise<Json> {
  const { status, body, text } = await subject.send("POST", await whole(subject, `…/${path}`), {
    json: { name: NAME, ...fields },
  });
  demand(expected.includes(status), `it is answered with ${status}: ${text.slice(0, 200)}`);
  demand(isJson(body) && Number.isInteger(body["id"]), "the answer has no id");
  demandEqual(body["name"], NAME, "name");
  return body;
}

/** 204 or 200; it is gone then. */
async function remove(subject: Subject, path: string, made: Json): Promise<void> {
  const address = await whole(subject, `…/${path}/${made["id"]}`);
  const { status } = await subject.send("DELETE", address);
  demand([200, 204].includes(status), `the deletion is answered with ${status}`);
  demandEqual((await subject.send("GET", address)).status, 404, "status of what is deleted");
}
