import { demand, demandEqual } from "../demand.ts";
import { demandListEnvelope, PROJECT_SUMMARY } from "../list-shapes.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { demandShape } from "../shape.ts";
import { resultsOf } from "../subject.ts";

const SECTION = "Endpoints: projects";

export const projects: Part = {
  name: "Projects",
  rows: [
    row("Resources: list envelope", "GET /projects/summary is a list envelope", async (subject) => {
      demandListEnvelope(await subject.read("/projects/summary"));
    }),
    row("Resources: project summary record", "its records have every field", async (subject) => {
      for (const project of resultsOf(await subject.read("/projects/summary")))
        demandShape(project, PROJECT_SUMMARY, "a project");
    }),
    row(SECTION, "GET /projects gives the detailed records of the same projects", async (subject) => {
      const [summary, detailed] = [await subject.read("/projects/summary"), await subject.get("/projects")];
      demandEqual(detailed.status, 200, "status");
      const records = Array.isArray(detailed.body)
        ? detailed.body
        : resultsOf(await subject.read("/projects"));
      for (const project of records) demandShape(project, PROJECT_SUMMARY, "a detailed project");
      const ids = (list: readonly { readonly id?: unknown }[]) => list.map(({ id }) => Number(id)).sort();
      demandEqual(ids(records), ids(resultsOf(summary)), "projects");
    }),
    row(SECTION, "GET /projects/{project_id} gives one detailed record", async (subject) => {
      const { id } = await subject.project();
      const project = await subject.read(`/projects/${id}`);
      demandShape(project, PROJECT_SUMMARY, `/projects/${id}`);
      demandEqual(project["id"], id, "id");
    }),
    row(
      "Resources: detailed project record",
      "it has links to its queries and its default language",
      async (subject) => {
        const { id } = await subject.project();
        const project = JSON.stringify(await subject.read(`/projects/${id}`));
        demand(/language/i.test(project), "no default language");
        demand(/queries/.test(project), "no link to the queries");
      },
    ),
    row("Endpoints: client and user", "the older form with .json answers the same", async (subject) => {
      const older = await subject.get("/projects/summary.json");
      if (older.status === 404) return notApplicable("this service has given it up");
      demandListEnvelope(await subject.read("/projects/summary.json"));
      return demandEqual(older.body, (await subject.get("/projects/summary")).body, "/projects/summary.json");
    }),
    row(SECTION, "a project that is not there is refused", async (subject) => {
      const { status } = await subject.get("/projects/1");
      demand([403, 404].includes(status), `it is answered with ${status}`);
    }),
    row(
      SECTION,
      "a project of another client is refused, wherever it is asked for",
      async (subject) => {
        const id = subject.options.accounts?.foreignProjectId;
        if (id === undefined) return notApplicable("no such project");
        for (const path of [
          "",
          "/queries/summary",
          "/queries",
          "/categories",
          "/group/site/summary",
          "/data/mentions",
        ]) {
          const { status } = await subject.get(`/projects/${id}${path}`);
          demand([403, 404].includes(status), `/projects/${id}${path} is answered with ${status}`);
        }
        const seen = resultsOf(await subject.read("/projects/summary"));
        return demand(!seen.some((project) => project["id"] === id), "it is in the list");
      },
      "accounts",
    ),
    row("practice §2", "a project id that is no number is refused", async (subject) => {
      const { status } = await subject.get("/projects/one");
      demand(status >= 400 && status < 500, `it is answered with ${status}`);
    }),
  ],
};
