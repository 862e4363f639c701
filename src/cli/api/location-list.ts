import { UserError } from "../../lib/errors.ts";
import { createLocationList } from "../../source/calls/saved-lists.ts";
import type { Pair } from "./parameters.ts";

const KNOWN = ["name", "location", "sharedProjectIds", "shared"];

/** Builds the body of a new location list from `--param`s. Throws a UserError that names what is missing or unknown. */
export function locationList(pairs: readonly Pair[], projectId: string): unknown {
  const unknown = pairs.find(([name]) => !KNOWN.includes(name));
  if (unknown !== undefined)
    throw new UserError(`--param ${unknown[0]}: create-location-list knows ${KNOWN.join(", ")}`);
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
