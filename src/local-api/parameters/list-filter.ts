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
  const wanted = new Set(ids.map(Number));
  const isWithActive = readFlag(parameters, "includeActive") ?? true;
  for (const name of ["includeInactive", "includeHidden"]) readFlag(parameters, name);
  return ({ id, name }) =>
    isWithActive &&
    (part === undefined || name.toLowerCase().includes(part)) &&
    (wanted.size === 0 || wanted.has(id));
}

function readFlag(parameters: ParameterReader, name: string): boolean | undefined {
  const value = parameters.text(name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value === "true" || value === "false") return value === "true";
  parameters.fault(`${name}: expected true or false, got ${JSON.stringify(value.slice(0, 60))}.`);
  return undefined;
}
