import { z } from "zod";

/** So many queries the page of mentions takes in its address: each is read by itself. */
export const MOST_QUERIES = 20;

/** The same address of this console with a query parameter set or removed. */
export function withParameter(address: string, name: string, value: string | null): string {
  const { path, parameters } = readAddress(address);
  if (value === null) parameters.delete(name);
  else parameters.set(name, value);
  const query = parameters.toString();
  return query === "" ? path : `${path}?${query}`;
}

/**
 * Path and query of a requested address. As a link, two leading slashes would lead to another host, so they are read as
 * one.
 */
export function readAddress(address: string): { path: string; parameters: URLSearchParams } {
  const [path = "", ...query] = address.split("?");
  return { path: `/${path.replace(/^[/\\]+/, "")}`, parameters: new URLSearchParams(query.join("?")) };
}

/** The `:id` of a path, with or without `.json`; null for none that there can be. */
export const IdInAddress = z.object({
  id: z
    .string()
    .transform((text) => text.replace(/\.json$/, ""))
    .pipe(z.guid())
    .nullable()
    .catch(null),
});
