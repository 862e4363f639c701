import { GAZETTEER } from "../places/gazetteer.ts";
import { PAGE_TYPES } from "../records/page-types.ts";
import { wireTime } from "../records/wire.ts";
import type { StoredProject } from "../store/projects.ts";
import { QUERY_TYPES, type QueryType, type StoredQuery } from "../store/queries.ts";
import type { StoredQueryGroup } from "../store/query-groups.ts";
import type { StoredList } from "../store/saved-lists.ts";

export function projectSummaryRecord(project: StoredProject) {
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    billableClientId: project.clientId,
    billableClientName: project.clientName,
    timezone: project.timezone,
    billableClientIsPitch: false,
  };
}

/** The spec leaves the shape of the additions open: the default language by its code (under the name
 * that clients of the live service know too), links by what they lead to.
 */
export function projectRecord(project: StoredProject) {
  return {
    ...projectSummaryRecord(project),
    defaultLanguage: project.defaultLanguage,
    defaultLangCodes: [project.defaultLanguage],
    links: { queries: `/projects/${project.id}/queries` },
  };
}

/**
 * The query as the list of queries shows it, whose shape the spec leaves open: what it looks for, where and from when
 * on, and how much of what matches it keeps. Its type has the name that the program which made it used, or today's.
 * `includedTerms`, `samplePercent` and `languageAgnostic` are what older programs read.
 */
export function queryRecord(query: StoredQuery) {
  return {
    ...querySummaryRecord(query),
    type: query.typeName ?? todaysQueryType(query.type),
    description: query.description,
    booleanQuery: query.text,
    includedTerms: query.text,
    languages: query.languages,
    languageAgnostic: query.languages.length === 0,
    contentSources: query.contentSources ?? PAGE_TYPES,
    startDate: wireTime(query.startDate ?? query.createdAt),
    locationFilter: locationFilterRecord(query),
    sampled: query.samplePercentage < 100,
    samplePercentage: query.samplePercentage,
    samplePercent: query.samplePercentage,
  };
}

function locationFilterRecord({ includedLocations, excludedLocations }: StoredQuery) {
  if (includedLocations.length === 0 && excludedLocations.length === 0) return null;
  const records = (ids: readonly string[]) =>
    ids.flatMap((id) => GAZETTEER.get(id) ?? []).map(locationRecord);
  return { includedLocations: records(includedLocations), excludedLocations: records(excludedLocations) };
}

/** As the spec has it, with the documented name of the type. */
export function querySummaryRecord(query: StoredQuery) {
  return {
    id: query.id,
    name: query.name,
    type: query.type,
    creationDate: wireTime(query.createdAt),
    lastModificationDate: wireTime(query.lastModifiedAt),
    lastModifiedUsername: query.lastModifiedUsername,
    lockedQuery: false,
    lockedByUsername: null,
    createdByWizard: false,
  };
}

/** Today's names of the documented types. */
const TODAY: Readonly<Record<string, QueryType>> = {
  monitor: "search string",
  publicfacebook: "facebook",
  publicFacebook: "facebook",
};

/** Every name by which a type of queries goes. */
export const QUERY_TYPE_NAMES: readonly string[] = [...QUERY_TYPES, ...Object.keys(TODAY)];

/** The documented name. */
export function canonicalQueryType(name: string): string {
  return TODAY[name] ?? name;
}

/** The name that today's programs know. */
function todaysQueryType(type: string): string {
  return Object.entries(TODAY).find(([, documented]) => documented === type)?.[0] ?? type;
}

/** An extension: the spec knows query groups only by their ids. */
export function queryGroupRecord({ id, name, shared, sharedProjectIds, queries, user }: StoredQueryGroup) {
  return {
    id,
    name,
    shared,
    sharedProjectIds,
    queries,
    users: user === null ? [] : [user],
    userId: user?.id ?? null,
    userName: user?.username ?? null,
  };
}

export function siteListRecord(list: StoredList) {
  const { id, name, shared, sharedProjectIds, entries, userId, userName } = list;
  return { id, name, shared, sharedProjectIds, domains: entries, userId, userName };
}

export function authorListRecord(list: StoredList) {
  const { id, name, shared, sharedProjectIds, entries, userId, userName } = list;
  return { id, name, shared, sharedProjectIds, authors: entries, userId, userName };
}

export function locationListRecord(list: StoredList) {
  const { id, name, shared, sharedProjectIds, entries, userName, userId } = list;
  const locations = entries.flatMap((entry) => GAZETTEER.get(entry) ?? []).map(locationRecord);
  return { id, name, shared, sharedProjectIds, locations, userName, userId };
}

function locationRecord({
  id,
  name,
  type,
  fullName,
}: {
  id: string;
  name: string;
  type: string;
  fullName: string;
}) {
  return { id, name, type, fullName };
}
