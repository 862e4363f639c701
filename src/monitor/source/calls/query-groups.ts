import { z } from "zod";
import { addressOf, type Call, defineCall } from "../define-call.ts";
import { parseWhole } from "../parse-json.ts";
import { listInside, listOf, toWireId, WireId } from "../wire-values.ts";

interface InProject {
  readonly projectId: string;
}

export type QueryGroup = z.output<typeof QueryGroup>;
export const QueryGroup = z
  .object({
    id: WireId,
    name: z.string(),
    queries: listInside(z.union([WireId, z.object({ id: WireId }).transform(({ id }) => id)])),
  })
  .transform(({ id, name, queries }) => ({ queryGroupId: id, name, queryIds: queries }));
const QueryGroups = listOf(QueryGroup);

/** An extension of the live service. */
export const queryGroups = defineCall({
  name: "query-groups",
  places: ({ projectId }: InProject) => ({ projectId }),
  read: (json): readonly QueryGroup[] => QueryGroups.parse(json),
});

/** What a group should be. */
export interface WantedGroup {
  readonly projectId: string;
  readonly name: string;
  readonly queryIds: readonly string[];
}

/** Extensions of the live service, which write. */
export const createQueryGroup: Call<WantedGroup, QueryGroup> = {
  name: "create-query-group",
  path: ({ projectId }) => addressOf("query-groups", { projectId }),
  body: groupBody,
  read: (answer) => QueryGroup.parse(parseWhole(answer.body)),
};

export const updateQueryGroup: Call<WantedGroup & { readonly queryGroupId: string }, void> = {
  name: "update-query-group",
  method: "PUT",
  path: groupAddress,
  body: groupBody,
  read: () => undefined,
};

export const deleteQueryGroup: Call<InProject & { readonly queryGroupId: string }, void> = {
  name: "delete-query-group",
  method: "DELETE",
  path: groupAddress,
  read: () => undefined,
};

function groupAddress({ projectId, queryGroupId }: InProject & { readonly queryGroupId: string }): string {
  return `${addressOf("query-groups", { projectId })}/${encodeURIComponent(queryGroupId)}`;
}

function groupBody({ projectId, name, queryIds }: WantedGroup): object {
  const queries = queryIds.map((id) => ({ id: toWireId(id) }));
  return { name, queries, shared: "private", sharedProjectIds: [toWireId(projectId)] };
}
