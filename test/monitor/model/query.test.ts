import { expect, test } from "vitest";
import { namesInList, sourceOfProject } from "../../../src/monitor/model/query.ts";

test("the project of a query says what its source is; a name that both have says which is of the feeds", () => {
  const queries = [
    { projectId: "1", queryName: "Acme" },
    { projectId: "feeds-1", queryName: "Acme" },
    { projectId: "feeds-1", queryName: "Rival" },
  ];
  expect(queries.map(({ projectId }) => sourceOfProject(projectId))).toEqual(["account", "feeds", "feeds"]);
  expect(queries.map(namesInList(queries))).toEqual(["Acme", "Acme (feeds)", "Rival"]);
  expect(queries.slice(1).map(namesInList(queries.slice(1)))).toEqual(["Acme", "Rival"]);
});
