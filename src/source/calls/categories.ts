import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId } from "../list-envelope.ts";

const Subcategory = z.object({ id: WireId, name: z.string(), ordering: z.number().catch(0) });

export type SourceCategory = z.output<typeof SourceCategory>;
export const SourceCategory = z.object({
  id: WireId,
  name: z.string(),
  /** Whether a mention can have several of its children. */
  multiple: z.boolean().catch(false),
  children: z.array(Subcategory).catch([]),
});

const SourceCategories = listOf(SourceCategory);

export const categories = defineCall({
  name: "categories",
  path: (params: { readonly projectId: string }) =>
    `/projects/${encodeURIComponent(params.projectId)}/categories`,
  read: (json): readonly SourceCategory[] => SourceCategories.parse(json),
});
