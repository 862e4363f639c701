import { QUERY_TYPES, type QueryType } from "../store/queries.ts";

/** Today's names of the documented types. */
const TODAY: Readonly<Record<string, QueryType>> = { monitor: "search string", publicfacebook: "facebook" };

/** Every name by which a type of queries goes. */
export const QUERY_TYPE_NAMES: readonly string[] = [...QUERY_TYPES, ...Object.keys(TODAY)];

/** The documented name. */
export function canonicalQueryType(name: string): string {
  return TODAY[name] ?? name;
}

/** The name that today's programs know. */
export function todaysQueryType(type: string): string {
  return Object.entries(TODAY).find(([, documented]) => documented === type)?.[0] ?? type;
}
