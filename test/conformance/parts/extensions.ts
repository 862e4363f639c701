import { demand, demandEqual } from "../demand.ts";
import { mentions, withoutName } from "../mention-calls.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { isJson, type Parameters, resultsOf, type Subject } from "../subject.ts";

const SECTION = "practice §13";
const AGGREGATES = ["volume", "authors", "reachEstimate", "impressions", "netSentiment"];
const DIMENSIONS = ["days", "sentiment", "pageTypes", "languages", "queries", "categories", "countries"];

export const extensions: Part = {
  name: "Extensions (not in the specification)",
  rows: [
    ...["tags", "querygroups", "group/location/summary"].map((path) =>
      row(SECTION, `GET …/${path} lists records with id and name`, async (subject) => {
        const { id } = await subject.project();
        for (const record of resultsOf(await subject.read(`/projects/${id}/${path}`)))
          demand(
            Number.isInteger(record["id"]) && typeof record["name"] === "string",
            "a record has no id or name",
          );
      }),
    ),
    ...["ruletags", "rulecategories"].map((path) =>
      row(SECTION, `GET …/${path} answers`, async (subject) => {
        const { id } = await subject.project();
        await subject.read(`/projects/${id}/${path}`);
      }),
    ),
    row("Concepts: query group", "queryGroupId may stand for the queries of a group", async (subject) => {
      const { id } = await subject.project();
      const { body } = await subject.get(`/projects/${id}/querygroups`);
      const group = isJson(body) ? resultsOf(body)[0] : undefined;
      const members = (group?.["queries"] ?? []) as readonly { readonly id?: unknown }[];
      if (group === undefined || members.length === 0) return notApplicable("the project has no query group");
      const dates = withoutName(await subject.range(), "queryId");
      const total = async (which: Parameters) =>
        (await subject.read(`/projects/${id}/data/mentions`, [...which, ...dates, ["pageSize", 1]]))[
          "resultsTotal"
        ];
      return demandEqual(
        await total([["queryGroupId", Number(group["id"])]]),
        await total(members.map((member) => ["queryId", Number(member.id)] as const)),
        "resultsTotal of the group",
      );
    }),
    row(SECTION, "mentions/count agrees with resultsTotal", async (subject) => {
      const count = await mentions(subject, [], "/count");
      const page = await mentions(subject, [["pageSize", 1]]);
      demandEqual(count["mentionsCount"], page["resultsTotal"], "mentionsCount");
    }),
    row(SECTION, "volume/topauthors/queries answers with results", async (subject) => {
      const { id } = await subject.project();
      resultsOf(await subject.read(`/projects/${id}/data/volume/topauthors/queries`, await subject.range()));
    }),
    ...AGGREGATES.map((aggregate) =>
      row(SECTION, `${aggregate} by days and sentiment answers with results`, async (subject) => {
        resultsOf(await chart(subject, `${aggregate}/days/sentiment`));
      }),
    ),
    ...DIMENSIONS.map((dimension) =>
      row(SECTION, `volume by queries and ${dimension} answers with results`, async (subject) => {
        resultsOf(await chart(subject, `volume/queries/${dimension}`));
      }),
    ),
    row(SECTION, "the volume of a chart by sentiment adds up to resultsTotal", async (subject) => {
      const total = Number((await mentions(subject, [["pageSize", 1]]))["resultsTotal"]);
      const cells = resultsOf(await chart(subject, "volume/queries/sentiment")).flatMap(
        ({ values }) => (values ?? []) as readonly { readonly value?: unknown }[],
      );
      const sum = cells.reduce((all, cell) => all + Number(cell.value ?? 0), 0);
      demand(sum <= total, `the cells hold ${sum}, resultsTotal is ${total}`);
      demand(sum > 0 || total === 0, "the cells hold nothing");
    }),
    row("practice §2", "what is not there is answered with 404", async (subject) => {
      const { id } = await subject.project();
      for (const path of [
        "/nowhere",
        `/projects/${id}/nowhere`,
        `/projects/${id}/data/happiness/days/queries`,
      ])
        demandEqual((await subject.get(path)).status, 404, path);
    }),
  ],
};

async function chart(subject: Subject, path: string) {
  const { id } = await subject.project();
  return subject.read(`/projects/${id}/data/${path}`, await subject.range());
}
