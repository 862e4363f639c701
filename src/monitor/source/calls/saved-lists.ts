import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listInside, listOf, WireId, WireIds, WireOptionalId, WireText, WireTexts } from "../wire-values.ts";

const WireList = z.object({
  id: WireId,
  name: z.string(),
  /** `public`: anyone may edit it; open. */
  shared: WireText,
  /** Projects the list is shared with. */
  sharedProjectIds: WireIds,
  userId: WireOptionalId,
  userName: WireText,
});

export type SiteList = z.output<typeof SiteList>;
/** A saved list of domains, some with a path behind them. */
export const SiteList = WireList.extend({ domains: WireTexts }).transform(named);

export type AuthorList = z.output<typeof AuthorList>;
export const AuthorList = WireList.extend({ authors: WireTexts }).transform(named);

const WireLocation = z.object({
  id: WireId,
  name: WireText,
  /** `city`, …; open. */
  type: WireText,
  /** From the place up to its continent, separated by commas. */
  fullName: WireText,
});

export type LocationList = z.output<typeof LocationList>;
export const LocationList = WireList.extend({ locations: listInside(WireLocation) }).transform(named);

/** The record of a list, with its id under a name that says whose id it is. */
function named<List extends { readonly id: string }>({
  id,
  ...rest
}: List): Omit<List, "id"> & { listId: string } {
  return { listId: id, ...rest };
}

interface InProject {
  readonly projectId: string;
}

const SiteLists = listOf(SiteList);
export const siteLists = defineCall({
  name: "site-lists",
  places: ({ projectId }: InProject) => ({ projectId }),
  read: (json): readonly SiteList[] => SiteLists.parse(json),
});

const AuthorLists = listOf(AuthorList);
export const authorLists = defineCall({
  name: "author-lists",
  places: ({ projectId }: InProject) => ({ projectId }),
  read: (json): readonly AuthorList[] => AuthorLists.parse(json),
});

const LocationLists = listOf(LocationList);
/** An extension of the live service. */
export const locationLists = defineCall({
  name: "location-lists",
  places: ({ projectId }: InProject) => ({ projectId }),
  read: (json): readonly LocationList[] => LocationLists.parse(json),
});

export interface NewLocationList {
  readonly name: string;
  /** Ids of the operator's. */
  readonly locationIds: readonly string[];
  readonly sharedProjectIds: readonly string[];
  /** `public`: anyone may edit it. */
  readonly shared: "public" | (string & {});
}

/** The only call that writes. */
export const createLocationList = defineCall({
  name: "create-location-list",
  places: ({ projectId }: InProject & { readonly list: NewLocationList }) => ({ projectId }),
  body: ({ list }) => ({
    name: list.name,
    locations: list.locationIds.map((id) => ({ id })),
    sharedProjectIds: list.sharedProjectIds.map(toWireId),
    shared: list.shared,
  }),
  read: (json): LocationList => LocationList.parse(json),
});

/** An integer, as the API wants ids; one that would lose digits stays text. */
export function toWireId(id: string): number | string {
  return /^\d{1,15}$/.test(id) ? Number(id) : id;
}
