import { z } from "zod";
import { addressOf, type Call, defineCall } from "../define-call.ts";
import { parseWhole } from "../parse-json.ts";
import { listInside, listOf, WireId } from "../wire-values.ts";
import { toWireId } from "./saved-lists.ts";

const Subcategory = z.object({ id: WireId, name: z.string(), ordering: z.number().catch(0) });

export type SourceCategory = z.output<typeof SourceCategory>;
export const SourceCategory = z.object({
  id: WireId,
  name: z.string(),
  /** Whether a mention can have several of its children. */
  multiple: z.boolean().catch(false),
  children: listInside(Subcategory),
});

const SourceCategories = listOf(SourceCategory);

export const categories = defineCategories("categories");
/** An extension of the live service: the categories that its rules give. */
export const ruleCategories = defineCategories("rule-categories");

function defineCategories(
  name: "categories" | "rule-categories",
): Call<{ readonly projectId: string }, readonly SourceCategory[]> {
  return defineCall({
    name,
    places: ({ projectId }) => ({ projectId }),
    read: (json) => SourceCategories.parse(json),
  });
}

interface InProject {
  readonly projectId: string;
}

export type SourceTag = z.output<typeof SourceTag>;
export const SourceTag = z.object({ id: WireId, name: z.string() });
const SourceTags = listOf(SourceTag);

/** An extension of the live service: the tags whose ids the filters `tag` and `xtag` take. */
export const tags = defineTags("tags");
/** An extension: the tags that rules of the service give. */
export const ruleTags = defineTags("rule-tags");

function defineTags(name: "tags" | "rule-tags"): Call<InProject, readonly SourceTag[]> {
  return defineCall({
    name,
    places: ({ projectId }: InProject) => ({ projectId }),
    read: (json) => SourceTags.parse(json),
  });
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
