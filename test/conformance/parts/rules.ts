import { demand, demandEqual } from "../demand.ts";
import { demandListEnvelope } from "../list-shapes.ts";
import { mentions } from "../mention-calls.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { all, demandShape, type Shape } from "../shape.ts";
import { isJson, type Json, resultsOf, type Subject } from "../subject.ts";

const RULES = "clients: bcr-api and api_sdk BWRules";
const SIGNALS = "clients: bcr-api and api_sdk BWSignals";
const RANGES = "clients: bcr-api get_date_range_comparison, bwapi";
const GEM = "clients: bwapi";

/** As the operator documents it. */
const RULE: Shape = {
  ...all("integer", "id projectId"),
  ...all("string", "name scope projectName"),
  ...all("object", "filter ruleAction"),
  ...all("timestamp", "creationDate lastUpdated"),
  enabled: "boolean",
  queryName: "string?",
  queries: "array?",
};
const SIGNAL: Shape = {
  id: "integer",
  name: "string",
  ...all("array", "queryIds subscribers includeTagIds excludeTagIds includeCategoryIds excludeCategoryIds"),
};
const RANGE: Shape = { id: "integer", ...all("string", "name"), ...all("timestamp", "startDate endDate") };

/** What a program makes, changes and deletes again. */
interface Thing {
  readonly section: string;
  readonly path: (queryId: number) => string;
  readonly shape: Shape;
  readonly body: (queryId: number) => Json;
  readonly change: Json;
}

const THINGS: readonly Thing[] = [
  {
    section: RULES,
    path: () => "rules",
    shape: RULE,
    body: (queryId) => ({
      ...{ name: "Conformance", enabled: true, scope: "query" },
      ...{ filter: { queryId: [queryId], search: "conformanceword" }, ruleAction: { priority: "high" } },
    }),
    change: { name: "Conformance 2", ruleAction: { starred: true } },
  },
  {
    section: SIGNALS,
    path: () => "signals/groups",
    shape: SIGNAL,
    body: (queryId) => ({
      ...{ name: "Conformance", queryIds: [queryId] },
      subscribers: [{ emailAddress: "conformance@example.org", notificationThreshold: 3 }],
    }),
    change: { name: "Conformance 2" },
  },
  {
    section: RANGES,
    path: (queryId) => `queries/${queryId}/date-range`,
    shape: RANGE,
    body: () => ({ name: "Conformance", startDate: "2026-02-01", endDate: "2026-02-08" }),
    change: { name: "Conformance 2" },
  },
];

export const rules: Part = {
  name: "Rules, signals and older calls",
  rows: [
    ...THINGS.flatMap(({ section, path, shape, body, change }) => {
      const name = path(0).replace("/0/", "/{id}/");
      return [
        row(section, `GET …/${name} lists records with every field`, async (subject) => {
          const { list } = await inProject(subject, path);
          for (const record of list) demandShape(record, shape, "a record");
        }),
        row(
          section,
          `POST …/${name} makes one, PUT changes it, DELETE deletes it`,
          async (subject) => {
            const { at, queryId } = await inProject(subject, path);
            const made = await subject.send("POST", at, { json: body(queryId) });
            demand(made.status === 200 || made.status === 201, `POST answers ${made.status}: ${made.text}`);
            demandShape(made.body, shape, "what was made");
            const one = `${at}/${idOf(made.body)}`;
            const read = await subject.send("GET", one);
            demandEqual(read.body, made.body, "what is read of it");
            const put = await subject.send("PUT", one, { json: { ...body(queryId), ...change } });
            demandEqual([put.status, nameOf(put.body)], [200, change["name"]], "what it is called then");
            demandEqual((await subject.send("DELETE", one)).status, 200, "DELETE");
            demandEqual((await subject.send("GET", one)).status, 404, "what is read then");
          },
          "writes",
        ),
      ];
    }),
    ...["bulkactions/rule/{id}", "rules/{id}/backfill"].map((path) =>
      row(
        path.startsWith("bulk") ? RULES : GEM,
        `POST …/${path} lets a rule act on stored mentions`,
        async (subject) => {
          const { project, queryId } = await inProject(subject, () => "rules");
          const [mention] = resultsOf(await mentions(subject, [["pageSize", 1]]));
          if (mention === undefined) return notApplicable("there is no mention");
          const filter = { queryId: [queryId], exactAuthor: String(mention["author"]) };
          const rule = { name: `Conformance ${path}`, filter, ruleAction: { checked: true } };
          const made = await subject.send("POST", `${project}/rules`, { json: rule });
          const id = String(idOf(made.body));
          const answer = await subject.send("POST", `${project}/${path.replace("{id}", id)}`);
          await subject.send("DELETE", `${project}/rules/${id}`);
          demandEqual(answer.status, 200, `status (${answer.text})`);
          return demand(isJson(answer.body) && !("errors" in answer.body), "the answer has errors");
        },
        "writes",
      ),
    ),
    ...(["ruletags", "rulecategories"] as const).map((kind) =>
      row(
        "practice §13",
        `POST …/bulkactions/${kind}/{id} labels stored mentions`,
        async (subject) => {
          const { project } = await inProject(subject, () => kind);
          const labels = [{ filter: { search: "conformanceword" } }];
          const json =
            kind === "ruletags"
              ? { name: "Conformance", rules: labels }
              : { name: "Conformance", children: [{ name: "One", rules: labels }] };
          const id = String(idOf((await subject.send("POST", `${project}/${kind}`, { json })).body));
          const answer = await subject.send("POST", `${project}/bulkactions/${kind}/${id}`, {
            parameters: [["earliest", "2026-01-01"]],
          });
          await subject.send("DELETE", `${project}/${kind}/${id}`);
          demandEqual(answer.status, 200, `status (${answer.text})`);
        },
        "writes",
      ),
    ),
    row(
      RANGES,
      "data/volume/dateRanges/days has a series for each saved range",
      async (subject) => {
        const { project, queryId } = await inProject(subject, () => "rules");
        const at = `${project}/queries/${queryId}/date-range`;
        const json = { name: "Conformance chart", startDate: "2026-02-01", endDate: "2026-02-03" };
        const id = idOf((await subject.send("POST", at, { json })).body);
        const chart = await subject.send("GET", `${project}/data/volume/dateRanges/days`, {
          parameters: [...(await subject.range()), ["dateRanges", Number(id)]],
        });
        await subject.send("DELETE", `${at}/${id}`);
        const series = isJson(chart.body) ? resultsOf(chart.body) : [];
        demandEqual(
          series.map((one) => one["id"]),
          [id],
          "the series",
        );
      },
      "writes",
    ),
    row(GEM, "demographics answer without data in their path", async (subject) => {
      const { project } = await inProject(subject, () => "rules");
      const asked = await subject.range();
      demandEqual(
        resultsOf(await subject.read(`${project}/demographics/gender`, asked)),
        resultsOf(await subject.read(`${project}/data/demographics/gender`, asked)),
        "results",
      );
    }),
    row(GEM, "data/volume/queries/topsites answers with results", async (subject) => {
      const { project } = await inProject(subject, () => "rules");
      resultsOf(await subject.read(`${project}/data/volume/queries/topsites`, await subject.range()));
    }),
    row(GEM, "GET …/users lists who may use the project", async (subject) => {
      const { project } = await inProject(subject, () => "rules");
      const users = resultsOf(await subject.read(`${project}/users`));
      demand(users.length > 0, "there is nobody");
      for (const user of users) demandShape(user, { id: "integer", username: "string" }, "a user");
    }),
    row(GEM, "GET …/queries/{id}/backfill is a list envelope", async (subject) => {
      const { project, queryId } = await inProject(subject, () => "rules");
      demandListEnvelope(await subject.read(`${project}/queries/${queryId}/backfill`));
    }),
    row(
      "clients: uploaders of documents",
      "GET /content/sources/list is a list envelope",
      async (subject) => {
        demandListEnvelope(await subject.read("/content/sources/list"));
      },
    ),
    row("clients: exporters", "a query says where it looks (locationFilter)", async (subject) => {
      const { project } = await inProject(subject, () => "rules");
      for (const query of resultsOf(await subject.read(`${project}/queries`)))
        demand("locationFilter" in query, "a query has no locationFilter");
    }),
    row("clients: exporters", "a mention of any source has a guid", async (subject) => {
      const shown = resultsOf(await mentions(subject, [["pageSize", 50]]));
      for (const mention of shown) demand("guid" in mention, "a mention has no guid");
      return shown.length === 0 ? notApplicable("there is no mention") : undefined;
    }),
    row(
      GEM,
      "PATCH …/queries/{id}/mentions/{resourceId} changes one mention, GET reads it",
      async (subject) => {
        const { project } = await inProject(subject, () => "rules");
        const [mention] = resultsOf(await mentions(subject, [["pageSize", 1]]));
        if (mention === undefined) return notApplicable("there is no mention");
        const at = `${project}/queries/${mention["queryId"]}/mentions/${mention["resourceId"]}`;
        const starred = mention["starred"] !== true;
        const answer = await subject.send("PATCH", at, { json: { starred } });
        demandEqual(answer.status, 200, `status (${answer.text.slice(0, 200)})`);
        const { body } = await subject.send("GET", at);
        demandEqual(isJson(body) && body["starred"], starred, "starred");
        const content = await subject.send("GET", `${at}/content`);
        return demandEqual(content.status, 200, "the status of its content");
      },
      "writes",
    ),
  ],
};

async function inProject(subject: Subject, path: (queryId: number) => string) {
  const { id, queryIds } = await subject.project();
  const [queryId = 0] = queryIds;
  const project = `/projects/${id}`;
  const at = `${project}/${path(queryId)}`;
  const { status, body, text } = await subject.get(at);
  demandEqual(status, 200, `${at} (${text.slice(0, 200)})`);
  const list: unknown = Array.isArray(body) ? body : isJson(body) ? body["results"] : undefined;
  demand(Array.isArray(list), `${at} is no list`);
  return { project, queryId, at, list: list as readonly unknown[] };
}

function idOf(body: unknown): unknown {
  const id = isJson(body) ? body["id"] : undefined;
  demand(Number.isInteger(id), "what was made has no id");
  return id;
}

function nameOf(body: unknown): unknown {
  return isJson(body) ? body["name"] : undefined;
}
