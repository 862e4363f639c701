import { demand, demandEqual } from "../demand.ts";
import { demandListEnvelope, PROJECT_SUMMARY } from "../list-shapes.ts";
import { type Part, row } from "../row.ts";
import { demandShape } from "../shape.ts";
import { isJson, type Json, resultsOf, type Subject } from "../subject.ts";

const LISTS = "Endpoints: site lists and author lists";

export const labels: Part = {
  name: "Categories and lists",
  rows: [
    row("Endpoints: categories", "GET …/categories is a list envelope", async (subject) => {
      demandListEnvelope(await inProject(subject, "/categories"));
    }),
    row("Resources: category record", "parents and children have every field", async (subject) => {
      for (const parent of resultsOf(await inProject(subject, "/categories"))) {
        demandShape(
          parent,
          { id: "integer", name: "string", multiple: "boolean", children: "array" },
          "a category",
        );
        for (const child of parent["children"] as readonly unknown[])
          demandShape(child, { id: "integer", name: "string", ordering: "integer" }, "a subcategory");
      }
    }),
    ...(["site", "author"] as const).flatMap((kind) => [
      row(LISTS, `GET …/group/${kind}/summary is a list envelope with projects`, async (subject) => {
        const body = await inProject(subject, `/group/${kind}/summary`);
        demandListEnvelope(body);
        demand(Array.isArray(body["projects"]), "projects is no array");
        for (const project of body["projects"])
          demandShape(project, PROJECT_SUMMARY, "a project outside the lists");
      }),
      row(`Resources: ${kind} list record`, "its records have every field", async (subject) => {
        const entries = kind === "site" ? "domains" : "authors";
        for (const list of resultsOf(await inProject(subject, `/group/${kind}/summary`))) {
          demandShape(list, { ...LIST, [entries]: "array" }, "a list");
          const texts = list[entries] as readonly unknown[];
          demand(
            texts.every((text) => typeof text === "string"),
            `${entries} holds something else than text`,
          );
          const ids = list["sharedProjectIds"] as readonly unknown[];
          demand(ids.every(Number.isInteger), "sharedProjectIds holds something else than integers");
        }
      }),
    ]),
    row(
      "Endpoints: create a location list",
      "POST …/group/location/ gives the record of the new list",
      async (subject) => {
        const { id } = await subject.project();
        const body = await created(subject);
        demandShape(body, { ...LIST, locations: "array" }, "the list");
        demandEqual([body["name"], body["shared"]], ["Conformance", "public"], "name and shared");
        demandEqual(body["sharedProjectIds"], [id], "sharedProjectIds");
        demandEqual(body["userName"], (await subject.read("/me"))["username"], "userName");
      },
      "writes",
    ),
    row(
      "Resources: location list record",
      "each location is expanded to id, name, type and fullName",
      async (subject) => {
        const locations = (await created(subject))["locations"] as readonly unknown[];
        demandEqual(locations.length, 1, "locations");
        demandShape(
          locations[0],
          { id: "string", name: "string", type: "string", fullName: "string" },
          "a location",
        );
      },
      "writes",
    ),
    row(
      "practice §2",
      "a location list without a name, with a strange location or a strange project is refused",
      async (subject) => {
        const { id } = await subject.project();
        const good = { name: "x", locations: [], sharedProjectIds: [id], shared: "public" };
        for (const wrong of [
          { name: undefined },
          { locations: [{ id: "nowhere" }] },
          { sharedProjectIds: [1] },
        ]) {
          const { status } = await subject.send("POST", `/projects/${id}/group/location/`, {
            json: { ...good, ...wrong },
          });
          demand(status >= 400 && status < 500, `${JSON.stringify(wrong)} is answered with ${status}`);
        }
      },
      "writes",
    ),
  ],
};

const LIST = {
  id: "integer",
  name: "string",
  shared: "string",
  sharedProjectIds: "array",
  userId: "integer",
  userName: "string",
} as const;

async function inProject(subject: Subject, path: string): Promise<Json> {
  const { id } = await subject.project();
  return subject.read(`/projects/${id}${path}`);
}

/** The ids of locations are the operator's: the first that this service knows of some. */
async function created(subject: Subject): Promise<Json> {
  const { id } = await subject.project();
  const tried: number[] = [];
  for (const location of ["bos1", "bos", "lon", "london", "gb", "GBR"]) {
    const { status, body } = await subject.send("POST", `/projects/${id}/group/location/`, {
      json: { name: "Conformance", locations: [{ id: location }], sharedProjectIds: [id], shared: "public" },
    });
    if (status < 300 && isJson(body)) return body;
    tried.push(status);
  }
  demand(false, `no list was made: ${tried.join(", ")}`);
}
