import { z } from "zod";
import { type Call, defineCall } from "../define-call.ts";
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
