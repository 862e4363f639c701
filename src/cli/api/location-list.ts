import { type ApiCall, createLocationList } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import type { Pair } from "./parameters.ts";

/** Builds the body of a new location list from `--param`s. Throws a UserError that names what is missing or unknown. */
export function locationList(call: ApiCall, pairs: readonly Pair[], projectId: string): unknown {
  const known = (call.parameters ?? []).map(([name]) => name);
  const unknown = pairs.find(([name]) => !known.includes(name));
  if (unknown !== undefined)
    throw new UserError(`--param ${unknown[0]}: ${call.name} knows ${known.join(", ")}`);
  const valuesOf = (name: string): string[] =>
    pairs.filter(([key]) => key === name).map(([, value]) => value);
  const [name] = valuesOf("name");
  const locationIds = valuesOf("location");
  if (name === undefined || name.trim() === "")
    throw new UserError("--param name=…: expected a name for the new list");
  if (locationIds.length === 0)
    throw new UserError("--param location=…: expected the id of at least one location");
  const shared = valuesOf("sharedProjectIds").flatMap((value) => value.split(","));
  const sharedProjectIds = shared.length === 0 ? [projectId] : shared;
  const list = { name, locationIds, sharedProjectIds, shared: valuesOf("shared")[0] ?? "public" };
  return createLocationList.body?.({ projectId, list });
}
