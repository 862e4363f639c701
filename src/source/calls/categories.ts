import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listInside, listOf, WireId } from "../list-envelope.ts";

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

export const categories = defineCall({
  name: "categories",
  places: ({ projectId }: { readonly projectId: string }) => ({ projectId }),
  read: (json): readonly SourceCategory[] => SourceCategories.parse(json),
});
