import { isDeepStrictEqual } from "node:util";
import type { BodyReader } from "../parameters/body-reader.ts";
import { parseMoment } from "../parameters/parse-moment.ts";
import { wireTime } from "../records/wire.ts";
import {
  type DateRangeSettings,
  deleteDateRange,
  listDateRanges,
  type StoredDateRange,
  saveDateRange,
} from "../store/date-ranges.ts";
import { defineResource, type ResourceScope } from "./resource.ts";

/** Times with a name, for the charts of a query; `dateRanges` of a chart shows some of them. */
export const dateRanges = defineResource<StoredDateRange, DateRangeSettings>({
  noun: "date range",
  path: "queries/:queryId(^\\d{1,15}$)/date-range",
  isCounted: false,
  isBare: true,
  isUniqueByName: true,
  isSame: isDeepStrictEqual,
  createdStatus: 201,
  list: ({ db, project, queryId }) => listDateRanges(db, { projectId: project.id, queryId }),
  record: ({ id, queryId, name, from, to }) => ({
    id,
    name,
    queryId,
    startDate: wireTime(from),
    endDate: wireTime(to),
  }),
  read(body, scope, current) {
    const name = body.name(current?.name);
    const from = readMoment(body, "startDate", scope) ?? current?.from;
    const to = readMoment(body, "endDate", scope) ?? current?.to;
    for (const [field, at] of Object.entries({ startDate: from, endDate: to }))
      if (at === undefined && !body.has(field)) body.fault(`${field}: required, a date or date-time.`);
    if (from !== undefined && to !== undefined && to <= from)
      body.fault("endDate: expected a moment after startDate.");
    body.accept("id", "queryId", "projectId", "dateRangeId");
    return { name, from: from ?? 0, to: to ?? 0 };
  },
  settingsOf: ({ name, from, to }) => ({ name, from, to }),
  create: ({ db, queryId }, settings) => saveDateRange(db, queryId ?? 0, settings),
  update: ({ db }, { id, queryId }, settings) => saveDateRange(db, queryId, settings, id),
  remove: ({ db }, { id }) => deleteDateRange(db, id),
});

function readMoment(body: BodyReader, field: string, { project }: ResourceScope): number | undefined {
  const text = body.text(field, 60);
  const at = text === undefined ? undefined : parseMoment(text, project.timezone);
  if (typeof at === "string") body.fault(`${field}: ${at}`);
  return typeof at === "number" ? at : undefined;
}
