/**
 * Every address of the API by the name of its call, below the base address. The caller fills the parameters in `{…}`.
 * Calls marked as extensions are not in the specification; the live service has them.
 */
const ADDRESSES = {
  client: "/client",
  me: "/me",
  projects: "/projects/summary",
  "projects-detailed": "/projects",
  project: "/projects/{projectId}",
  queries: "/projects/{projectId}/queries/summary",
  "queries-detailed": "/projects/{projectId}/queries",
  categories: "/projects/{projectId}/categories",
  "site-lists": "/projects/{projectId}/group/site/summary",
  "author-lists": "/projects/{projectId}/group/author/summary",
  "create-location-list": "/projects/{projectId}/group/location/",
  mentions: "/projects/{projectId}/data/mentions",
  "mentions-fulltext": "/projects/{projectId}/data/mentions/fulltext",
  hashtags: "/projects/{projectId}/data/hashtags",
  emoticons: "/projects/{projectId}/data/emoticons",
  urls: "/projects/{projectId}/data/urls",
  "mentioned-authors": "/projects/{projectId}/data/mentionedauthors",
  // Extensions of the live service.
  "location-lists": "/projects/{projectId}/group/location/summary",
  tags: "/projects/{projectId}/tags",
  "rule-tags": "/projects/{projectId}/ruletags",
  "rule-categories": "/projects/{projectId}/rulecategories",
  "query-groups": "/projects/{projectId}/querygroups",
  "mention-count": "/projects/{projectId}/data/mentions/count",
  "top-authors": "/projects/{projectId}/data/volume/topauthors/queries",
  chart: "/projects/{projectId}/data/{aggregate}/{dimension1}/{dimension2}",
} as const;

export type AddressName = keyof typeof ADDRESSES;

/** The path parameters of an address. */
export interface Places {
  readonly projectId?: string;
  readonly aggregate?: string;
  readonly dimension1?: string;
  readonly dimension2?: string;
}

export type Parameters = readonly (readonly [name: string, value: string])[];

/** An address with its path parameters filled and the others appended, all of them encoded. */
export function addressOf(name: AddressName, places: Places, parameters: Parameters = []): string {
  const path = ADDRESSES[name].replaceAll(/\{(\w+)\}/g, (_, place: string) =>
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
