import { demand } from "./demand.ts";
import { all, demandShape, type Shape } from "./shape.ts";
import { type Json, resultsOf } from "./subject.ts";

export const PROJECT_SUMMARY: Shape = {
  id: "integer",
  name: "string",
  description: "string",
  billableClientId: "integer",
  billableClientName: "string?",
  timezone: "string?",
  billableClientIsPitch: "boolean",
};

export const QUERY_TYPES = ["search string", "twitter", "facebook", "instagram"];

export const QUERY_SUMMARY: Shape = {
  id: "integer",
  name: "string",
  type: "string",
  creationDate: "timestamp",
  lastModificationDate: "timestamp",
  lastModifiedUsername: "string",
  lockedQuery: "boolean",
  lockedByUsername: "string?",
  createdByWizard: "boolean",
};

/** Lists that are not paged say -1 for page and page size, and their length or -1 for the total. */
export function demandListEnvelope(body: Json): void {
  demandShape(
    body,
    { ...all("integer", "resultsTotal resultsPage resultsPageSize"), results: "array" },
    "the envelope",
  );
  const total = body["resultsTotal"];
  const length = resultsOf(body).length;
  demand(total === -1 || Number(total) >= length, `resultsTotal is ${total} with ${length} results`);
}
