import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  AGGREGATE_NAMES,
  type AggregateName,
  isAggregateName,
  readAggregates,
} from "../charts/aggregates.ts";
import type { Axis } from "../charts/axis.ts";
import { type ChartAnswer, chartEnvelope, multiChartEnvelope } from "../charts/chart-envelope.ts";
import { DIMENSION_NAMES, type DimensionName, isDimensionName, recordFieldOf } from "../charts/dimensions.ts";
import { type AxisPlan, findKeys, readAxis } from "../charts/read-axis.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { readMentionRange } from "../mentions/mentions-request.ts";
import { invalidRequest, notFound } from "../parameters/api-error.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { readChartCells } from "../store/chart-cells.ts";
import { listDateRanges, type StoredDateRange } from "../store/date-ranges.ts";
import { listTags } from "../store/labels.ts";
import type { MentionRange } from "../store/mention-range.ts";
import { listQueryGroups } from "../store/query-groups.ts";
import { readTopKeys } from "../store/value-counts.ts";
import { type DataRequest, type InProject, readDataRequest, showing } from "./project-request.ts";

interface InChart extends InProject {
  Params: { projectId: string; aggregate: string; dimension1: string; dimension2: string };
}

/** What one answer may hold: about 10 MB. */
const MAX_POINTS = 100_000;

/** GET /projects/:projectId/data/{aggregate}/{dimension1}/{dimension2}, and multiAggregate with up to ten of them. */
export function chartRoutes(app: FastifyInstance, context: LocalApiContext): void {
  app.get<InChart>("/projects/:projectId/data/:aggregate/:dimension1/:dimension2", async (request) => {
    const { aggregate } = request.params;
    if (OWNERS_ALONE.includes(aggregate))
      throw notFound(
        `There is no ${aggregate}: only the owner of a channel gets it from the network, so it is not known here.`,
      );
    if (aggregate !== "multiAggregate" && !isAggregateName(aggregate))
      throw notFound(
        `There is no aggregate ${quote(aggregate)}. Possible: ${AGGREGATE_NAMES.join(", ")}, multiAggregate.`,
      );
    const dimensions = dimensionsOf(request);
    const data = await readDataRequest(context, request);
    if (aggregate === "multiAggregate") {
      const aggregates = readAggregates(data.parameters);
      return multiChartEnvelope(await chart(context, data, dimensions, aggregates), aggregates);
    }
    return chartEnvelope(await chart(context, data, dimensions, [aggregate]), aggregate);
  });
}

/** Statistics of channels that the live service gets from their owners. */
const OWNERS_ALONE: readonly string[] = ["audience", "ownerActivity", "audienceActivity"];

type TwoDimensions = readonly [DimensionName, DimensionName];

function dimensionsOf({ params }: FastifyRequest<InChart>): TwoDimensions {
  const { dimension1, dimension2 } = params;
  if (isDimensionName(dimension1) && isDimensionName(dimension2)) return [dimension1, dimension2];
  const stranger = isDimensionName(dimension1) ? dimension2 : dimension1;
  throw notFound(`There is no dimension ${quote(stranger)}. Possible: ${DIMENSION_NAMES.join(", ")}.`);
}

async function chart(
  context: LocalApiContext,
  request: DataRequest,
  dimensions: TwoDimensions,
  aggregates: readonly AggregateName[],
): Promise<ChartAnswer> {
  const { db } = context;
  const { parameters, at } = request;
  const dateRanges = dimensions.includes("dateRanges") ? await readDateRanges(context, request) : [];
  // Read anew, because a search has looked for mentions of the range only.
  const data =
    dateRanges.length === 0
      ? request
      : { ...request, range: await readMentionRange(parameters, request.scope, spanOf(dateRanges)) };
  const scope = { ...chartScope(context, data), dateRanges };
  const first = await readAxis(dimensions[0], 1, parameters, scope);
  const second = await readAxis(dimensions[1], 2, parameters, scope);
  parameters.finish();
  const range = dimensions.reduce(
    (kept, name) => showing({ ...data, range: kept }, recordFieldOf(name)),
    data.range,
  );
  const find = ({ source, nameField }: AxisPlan, limit: number, among: readonly string[] | undefined) =>
    readTopKeys(db, { range, at, source, nameField, limit, among });
  const axes = [await findKeys(first, find), await findKeys(second, find)] as const;
  refuseTooMany(axes);
  const cell = await readChartCells(db, {
    range,
    at,
    axes,
    aggregates,
    samplePercentages: new Map(data.queries.map((query) => [query.id, query.samplePercentage])),
  });
  return { dimensions, axes: [axes[0].keys, axes[1].keys], cell };
}

function chartScope(
  { db }: LocalApiContext,
  { project, queries, scope, zone, parameters, range }: DataRequest,
) {
  return {
    zone,
    from: range.from,
    to: range.to,
    queryIds: range.queryIds,
    queryGroupIds: parameters.integers("queryGroupId"),
    queries,
    queryGroups: () => listQueryGroups(db, project.id),
    categories: scope.categories,
    tags: () => listTags(db, project.id),
  };
}

/** Saved date ranges that `dateRanges` names; without it, all of the queries of the request. */
async function readDateRanges(
  { db }: LocalApiContext,
  { project, parameters, range }: DataRequest,
): Promise<readonly StoredDateRange[]> {
  const ids = readDateRangeIds(parameters);
  const all = await listDateRanges(db, { projectId: project.id });
  for (const id of ids.filter((one) => all.every((known) => known.id !== one)))
    parameters.fault(`dateRanges: ${id} is no date range of this project.`);
  return all.filter(({ id, queryId }) =>
    ids.length > 0 ? ids.includes(id) : range.queryIds.includes(queryId),
  );
}

/** Read where one of the dimensions is `dateRanges`. */
export function readDateRangeIds(parameters: ParameterReader): readonly number[] {
  return parameters.integers("dateRanges");
}

/** Such a chart is about these times alone, whatever its startDate and endDate say. */
function spanOf(ranges: readonly StoredDateRange[]): Pick<MentionRange, "from" | "to"> {
  return { from: Math.min(...ranges.map(({ from }) => from)), to: Math.max(...ranges.map(({ to }) => to)) };
}

function refuseTooMany([first, second]: readonly [Axis, Axis]): void {
  const points = first.keys.length * second.keys.length;
  if (points <= MAX_POINTS) return;
  throw invalidRequest(
    `The chart would have ${first.keys.length} series of ${second.keys.length} points; expected at most ${MAX_POINTS} points. ` +
      "Ask for a shorter range, or choose with dim1Args, dim2Args, dim1Limit, dim2Limit.",
  );
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}
