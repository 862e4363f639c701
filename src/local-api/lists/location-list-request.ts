import { invalidRequest } from "../http/api-error.ts";
import { GAZETTEER } from "../places/gazetteer.ts";
import { LIST_SHARINGS, type ListSharing } from "../store/saved-lists.ts";

export interface LocationListRequest {
  readonly name: string;
  readonly locationIds: readonly string[];
  readonly shared: ListSharing;
  readonly sharedProjectIds: readonly number[];
}

export interface LocationListScope {
  /** Where the list is made: the project that it is shared with unless others are named. */
  readonly projectId: number;
  /** All projects that the caller may see. */
  readonly projectIds: ReadonlySet<number>;
}

const MAX_NAME = 255;
const MAX_LOCATIONS = 1_000;
/** Unknown fields that are named. */
const MOST_STRANGERS = 20;
/** Clients send a list back as they read it, owner included. The owner is whoever makes the list. */
const FIELDS = ["name", "locations", "shared", "sharedProjectIds", "userName", "userId"];

/** Reads the body of a location list to be made. Throws one 400 with everything that is wrong with it. */
export function readLocationList(body: unknown, scope: LocationListScope): LocationListRequest {
  if (!isObject(body)) throw invalidRequest("body: expected a JSON object with name and locations.");
  const faults: string[] = [];
  const list = {
    name: readName(body["name"], faults),
    locationIds: readLocations(body["locations"], faults),
    shared: readShared(body["shared"], faults),
    sharedProjectIds: readProjectIds(body["sharedProjectIds"], scope, faults),
  };
  const strangers = Object.keys(body).filter((field) => !FIELDS.includes(field));
  faults.push(
    ...strangers
      .slice(0, MOST_STRANGERS)
      .map((field) => `${quote(field)} is not a field of a location list.`),
  );
  if (faults.length > 0) throw invalidRequest(...faults);
  return list;
}

function readName(value: unknown, faults: string[]): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= MAX_NAME && !value.includes("\0"))
    return value;
  faults.push(`name: expected text of 1 to ${MAX_NAME} characters, got ${quote(value)}.`);
  return "";
}

function readLocations(value: unknown, faults: string[]): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LOCATIONS) {
    const got = Array.isArray(value) ? `an array of ${value.length}` : quote(value);
    faults.push(`locations: expected an array of 1 to ${MAX_LOCATIONS} objects with an id, got ${got}.`);
    return [];
  }
  const ids = value.flatMap((entry: unknown, index) => {
    const id = isObject(entry) ? entry["id"] : undefined;
    if (typeof id === "string" && GAZETTEER.has(id)) return [id];
    const got = isObject(entry) ? quote(id) : quote(entry);
    faults.push(
      typeof id === "string"
        ? `locations[${index}].id: ${got} is no known location; expected an id such as "gb", "us-ma" or "bos1".`
        : `locations[${index}].id: expected the id of a location as text, got ${got}.`,
    );
    return [];
  });
  return [...new Set(ids)];
}

function readShared(value: unknown, faults: string[]): ListSharing {
  if (value === undefined) return "public";
  const found = LIST_SHARINGS.find((sharing) => sharing === value);
  if (found === undefined)
    faults.push(`shared: expected ${LIST_SHARINGS.join(" or ")}, got ${quote(value)}.`);
  return found ?? "public";
}

/** The project of another client is told like one that does not exist. */
function readProjectIds(value: unknown, scope: LocationListScope, faults: string[]): number[] {
  if (value === undefined) return [scope.projectId];
  if (!Array.isArray(value)) {
    faults.push(`sharedProjectIds: expected an array of project ids, got ${quote(value)}.`);
    return [];
  }
  for (const id of value.filter((id) => !Number.isSafeInteger(id)))
    faults.push(`sharedProjectIds: expected integers, got ${quote(id)}.`);
  for (const id of value.filter((id) => Number.isSafeInteger(id) && !scope.projectIds.has(id)))
    faults.push(`sharedProjectIds: ${id} is no project of this user.`);
  return value.length === 0 ? [scope.projectId] : [...new Set<number>(value)];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What was sent, short enough to be read. */
function quote(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
