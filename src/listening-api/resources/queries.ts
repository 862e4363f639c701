import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../lib/json.ts";
import { lookBack } from "../assign/look-back.ts";
import { type BodyReader, quote } from "../parameters/body-reader.ts";
import { parseMoment } from "../parameters/parse-moment.ts";
import { GAZETTEER } from "../places/gazetteer.ts";
import { compile } from "../query-language/compile.ts";
import { PAGE_TYPES } from "../records/page-types.ts";
import { deleteQueries } from "../store/delete-things.ts";
import {
  insertQuery,
  listQueries,
  type QuerySettings,
  type StoredQuery,
  updateQuery,
} from "../store/queries.ts";
import { RECEIVED_TYPE } from "../store/received-items.ts";
import { renameQueryInRecords } from "../store/rename-in-records.ts";
import { forgetReferences } from "./forget-references.ts";
import { canonicalQueryType, QUERY_TYPE_NAMES, queryRecord, querySummaryRecord } from "./project-records.ts";
import { defineResource, type ResourceScope } from "./resource.ts";

/** Up to here a text that is longer than a query may be gets the answer that says so. */
const MAX_TEXT = 1_000_000;

export const queries = defineResource<StoredQuery, QuerySettings>({
  noun: "query",
  path: "queries",
  alsoListedAt: { "queries/summary": querySummaryRecord },
  isCounted: true,
  isUniqueByName: true,
  createdStatus: 201,
  bodyLimit: MAX_TEXT,
  readSelection(parameters) {
    const types = new Set(parameters.someOf("type", QUERY_TYPE_NAMES).map(canonicalQueryType));
    return (queries) => queries.filter(({ type }) => types.size === 0 || types.has(type));
  },
  list: ({ db, project }) => listQueries(db, project.id),
  record: queryRecord,
  read(body, scope, current) {
    const name = body.name(current?.name);
    if (name === RECEIVED_TYPE)
      body.fault(`name: ${quote(name)} is taken: feeds keep what they bring under it. Choose another one.`);
    const typeName = body.oneOf("type", QUERY_TYPE_NAMES) ?? current?.typeName ?? null;
    const type = typeName === null ? (current?.type ?? "search string") : canonicalQueryType(typeName);
    const given = readText(body, type) ?? current?.text ?? null;
    // One that becomes a channel searches nothing any more.
    const text = type === "search string" ? given : null;
    // Those of before may have none.
    if (type === "search string" && text === null && current?.type !== type)
      body.fault("booleanQuery: required, what the query searches.");
    const percentage = body.has("samplePercentage") ? "samplePercentage" : "samplePercent";
    const samplePercentage = body.number(percentage, { min: 0.001, max: 100 });
    const sources = body.texts("contentSources", { max: 100, maxLength: 60 });
    for (const source of sources?.filter((one) => !PAGE_TYPES.includes(one)) ?? [])
      body.fault(`contentSources: ${quote(source)} is none of ${PAGE_TYPES.join(", ")}.`);
    const languages = body.texts("languages", { max: 200, maxLength: 20 });
    const isAgnostic = body.flag("languageAgnostic") === true;
    body.accept(...UNCHANGEABLE);
    return {
      name,
      type,
      typeName,
      text,
      samplePercentage: samplePercentage ?? current?.samplePercentage ?? 100,
      description: body.text("description", 10_000) ?? current?.description ?? "",
      languages: isAgnostic ? [] : (languages ?? current?.languages ?? []),
      contentSources: sources === undefined ? (current?.contentSources ?? null) : chosenOf(sources),
      startDate: readStart(body, scope, current) ?? current?.startDate ?? null,
      ...readLocationFilter(body, current),
    };
  },
  settingsOf: ({ id, createdAt, lastModifiedAt, lastModifiedUsername, ...settings }) => settings,
  async create(scope, settings) {
    const { db, project, at } = scope;
    const id = await insertQuery(db, project.id, settings, by(scope));
    await lookBack(db, project.id, { id, ...settings }, at);
    return id;
  },
  async update(scope, current, settings) {
    const { db, project, at } = scope;
    await updateQuery(db, current.id, settings, by(scope));
    if (settings.name !== current.name)
      await renameQueryInRecords(db, current.id, { from: current.name, to: settings.name });
    // What the old text found stays, as it does where a query is edited at the live service.
    if (LOOKED_BACK.some((field) => !isDeepStrictEqual(settings[field], current[field])))
      await lookBack(db, project.id, { id: current.id, ...settings }, at);
  },
  async remove(scope, { id }) {
    await forgetReferences(scope, { queryIds: [id] });
    await deleteQueries(scope.db, [id]);
  },
});

/** What the stored mentions are searched for again when it changes. */
const LOOKED_BACK = [
  "text",
  "languages",
  "contentSources",
  "startDate",
  "includedLocations",
  "excludedLocations",
] as const;

type LocationFilter = Pick<QuerySettings, "includedLocations" | "excludedLocations">;
const MAX_LOCATIONS = 1_000;

/** `{"includedLocations": […], "excludedLocations": […]}`, each with ids or objects with an id. */
function readLocationFilter(body: BodyReader, current: LocationFilter | undefined): LocationFilter {
  const given = body.has("locationFilter") ? body.body["locationFilter"] : undefined;
  const { includedLocations = [], excludedLocations = [] } = current ?? {};
  const stays = { includedLocations, excludedLocations };
  if (given === undefined) return stays;
  if (!isRecord(given)) {
    body.fault(
      `locationFilter: expected an object with includedLocations or excludedLocations, got ${quote(given)}.`,
    );
    return stays;
  }
  const read = (field: keyof LocationFilter): readonly string[] => {
    const entries = given[field] ?? [];
    if (!Array.isArray(entries) || entries.length > MAX_LOCATIONS) {
      body.fault(`locationFilter.${field}: expected an array of at most ${MAX_LOCATIONS} locations.`);
      return [];
    }
    const ids = entries.flatMap((entry: unknown) => {
      const id = isRecord(entry) ? entry["id"] : entry;
      if (typeof id === "string" && GAZETTEER.has(id)) return [id];
      body.fault(`locationFilter.${field}: ${quote(id)} is no known location; GET /locations lists them.`);
      return [];
    });
    return [...new Set(ids)];
  };
  return { includedLocations: read("includedLocations"), excludedLocations: read("excludedLocations") };
}

/** Of the record, and of what older clients send: without effect. */
const UNCHANGEABLE = [
  "id",
  "creationDate",
  "lastModificationDate",
  "lastModifiedUsername",
  "lockedQuery",
  "lockedByUsername",
  "createdByWizard",
  "sampled",
  "userRequestedSampling",
  "samplePercent",
  "industry",
  "includedTerms",
  "status",
];

function by({ caller, at }: ResourceScope) {
  return { username: caller.user.username, at };
}

/** Under the name of today's programs, or of older ones. */
function readText(body: BodyReader, type: string): string | undefined {
  const field = body.has("booleanQuery") ? "booleanQuery" : "includedTerms";
  const text = Array.isArray(body.body[field]) ? readTerms(body, field) : body.text(field, MAX_TEXT);
  if (text === undefined) return undefined;
  if (type !== "search string") body.fault(`${field}: a query of type ${type} takes none.`);
  const compiled = compile(text);
  if (!compiled.ok)
    for (const { severity, start, message } of compiled.problems)
      if (severity === "error") body.fault(`${field}: at character ${start + 1}: ${message}`);
  return text;
}

/** Older programs send a list: any of its texts is searched. */
function readTerms(body: BodyReader, field: string): string | undefined {
  const terms = body.texts(field, { max: 1_000, maxLength: MAX_TEXT }) ?? [];
  if (terms.length <= 1) return terms[0];
  return terms.map((term) => `(${term})`).join(" OR ");
}

/** A record that comes back shows all sources where none are chosen, and the day of its making where no start is. */
function chosenOf(sources: readonly string[]): readonly string[] | null {
  return PAGE_TYPES.every((known) => sources.includes(known)) ? null : sources;
}

function readStart(
  body: BodyReader,
  { project }: ResourceScope,
  current: StoredQuery | undefined,
): number | undefined {
  const text = body.text("startDate", 60);
  const at = text === undefined ? undefined : parseMoment(text, project.timezone);
  if (typeof at === "string") body.fault(`startDate: ${at}`);
  const isShown = current?.startDate === null && at === current.createdAt;
  return typeof at === "number" && !isShown ? at : undefined;
}
