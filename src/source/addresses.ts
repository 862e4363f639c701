import { CALLS, type CallName } from "./call-table.ts";

/** The path parameters of an address. */
export interface Places {
  readonly projectId?: string;
  readonly aggregate?: string;
  readonly dimension1?: string;
  readonly dimension2?: string;
}

export type Parameters = readonly (readonly [name: string, value: string])[];

/** An address with its path parameters filled and the others appended, all of them encoded. */
export function addressOf(name: CallName, places: Places, parameters: Parameters = []): string {
  const path = CALLS[name].path.replaceAll(/\{(\w+)\}/g, (_, place: string) =>
    encodeURIComponent(places[place as keyof Places] ?? ""),
  );
  if (parameters.length === 0) return path;
  // URLSearchParams writes `+` as `%2B`, which the offsets of the dates need.
  return `${path}?${new URLSearchParams(parameters.map(([key, value]): [string, string] => [key, value]))}`;
}

/** The older form of an address, which ends in `.json`. */
export function withJsonSuffix(address: string): string {
  const [path = "", query] = address.split(/\?(.*)/s);
  return `${path.replace(/(?<!\/)\/+$/, "")}.json${query === undefined ? "" : `?${query}`}`;
}
