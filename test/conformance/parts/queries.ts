import { demand, demandEqual } from "../demand.ts";
import { demandListEnvelope, QUERY_SUMMARY, QUERY_TYPES } from "../list-shapes.ts";
import { type Part, row } from "../row.ts";
import { demandShape } from "../shape.ts";
import { isJson, type Json, resultsOf, type Subject } from "../subject.ts";

const SECTION = "Endpoints: queries";

export const queries: Part = {
  name: "Queries",
  rows: [
    row("Resources: list envelope", "GET …/queries/summary is a list envelope", async (subject) => {
      demandListEnvelope(await summary(subject));
    }),
    row("Resources: query summary record", "its records have every field", async (subject) => {
      for (const query of resultsOf(await summary(subject))) demandShape(query, QUERY_SUMMARY, "a query");
    }),
    row("Resources: query types", "type is one of the four", async (subject) => {
      for (const query of resultsOf(await summary(subject)))
        demand(QUERY_TYPES.includes(String(query["type"])), `a query has the type ${query["type"]}`);
    }),
    row(SECTION, "GET …/queries gives the same queries", async (subject) => {
      const ids = (records: readonly Json[]) => records.map(({ id }) => Number(id)).sort();
      demandEqual(ids(await detailed(subject)), ids(resultsOf(await summary(subject))), "ids");
    }),
    ...QUERY_TYPES.map((type) =>
      row(SECTION, `type=${type} gives the queries of that type and no others`, async (subject) => {
        const expected = resultsOf(await summary(subject)).filter((query) => query["type"] === type);
        demandEqual(
          (await detailed(subject, type)).map(({ id }) => id).sort(),
          expected.map(({ id }) => id).sort(),
          "ids",
        );
      }),
    ),
    row("practice §2", "a type that is none is refused", async (subject) => {
      const { id } = await subject.project();
      const { status } = await subject.get(`/projects/${id}/queries`, [["type", "carrier pigeon"]]);
      demand(status >= 400 && status < 500, `it is answered with ${status}`);
    }),
  ],
};

async function summary(subject: Subject): Promise<Json> {
  const { id } = await subject.project();
  return subject.read(`/projects/${id}/queries/summary`);
}

async function detailed(subject: Subject, type?: string): Promise<readonly Json[]> {
  const { id } = await subject.project();
  const answer = await subject.get(`/projects/${id}/queries`, type === undefined ? [] : [["type", type]]);
  demandEqual(answer.status, 200, "status");
  // The shape of this list is left open.
  if (Array.isArray(answer.body)) return answer.body.filter(isJson);
  demand(isJson(answer.body), "no JSON");
  return resultsOf(answer.body);
}
