import type { ParameterReader } from "./parameter-reader.ts";

/**
 * The documented parameters of lists: `nameContains` (in any case), `ids` (repeated, or with commas), and
 * `includeActive`, `includeInactive`, `includeHidden`. Nothing is inactive or hidden here, so the last two change
 * nothing.
 */
export function readListFilter(
  parameters: ParameterReader,
): (thing: { readonly id: number; readonly name: string }) => boolean {
  const part = parameters.text("nameContains")?.toLowerCase();
  const ids = parameters.texts("ids").flatMap((text) => text.split(","));
  for (const id of ids.filter((text) => !/^\s*\d{1,15}\s*$/.test(text)))
    parameters.fault(`ids: expected integers, got ${JSON.stringify(id.slice(0, 60))}.`);
  const numbers = new Set(ids.map(Number));
  const isWithActive = readFlag(parameters, "includeActive") ?? true;
  for (const name of ["includeInactive", "includeHidden"]) readFlag(parameters, name);
  return ({ id, name }) =>
    isWithActive &&
    (part === undefined || name.toLowerCase().includes(part)) &&
    (numbers.size === 0 || numbers.has(id));
}

function readFlag(parameters: ParameterReader, name: string): boolean | undefined {
  const value = parameters.text(name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value === "true" || value === "false") return value === "true";
  parameters.fault(`${name}: expected true or false, got ${JSON.stringify(value.slice(0, 60))}.`);
  return undefined;
}

export interface ListPaging {
  /** From 0. */
  readonly page: number;
  readonly pageSize: number;
}

const MAX_PAGE_SIZE = 5_000;

/** `page` and `pageSize` of lists. Lists come whole unless a pageSize is given; -1 says the same as nothing. */
export function readListPaging(parameters: ParameterReader): ListPaging | undefined {
  const page = parameters.integer("page", { min: -1, max: 1_000_000_000 }) ?? -1;
  const pageSize = parameters.integer("pageSize", { min: -1, max: MAX_PAGE_SIZE }) ?? -1;
  if (pageSize === 0) parameters.fault(`pageSize: expected an integer from 1 to ${MAX_PAGE_SIZE}, got 0.`);
  if (page >= 0 && pageSize === -1) parameters.fault("page: expected a pageSize with it.");
  return pageSize > 0 ? { page: Math.max(0, page), pageSize } : undefined;
}
