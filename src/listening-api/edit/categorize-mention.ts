import { UserError } from "../../lib/errors.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "../store/database.ts";
import { listCategories } from "../store/labels.ts";
import { beginWriting } from "../store/write-order.ts";
import { changeScope, changesOf } from "./change-set.ts";
import { editMentions } from "./edit-mention.ts";
import { withJudgements } from "./mention-changes.ts";

/**
 * A person says in which subcategories a mention is: in these, and no others of the project. `wanted` gets those that it
 * is in. Throws a `UserError` for one
 * that the project does not have, for two that exclude each other, and for a mention that the query does not show.
 */
export async function categorizeMention(
  db: Database,
  which: { readonly projectId: number; readonly queryId: number; readonly resourceId: string },
  change: (has: readonly number[]) => readonly number[],
  now: () => Instant,
): Promise<void> {
  const { projectId, queryId, resourceId } = which;
  await db.transaction().execute(async (transaction) => {
    const at = await beginWriting(transaction, [projectId], now);
    const scope = changeScope({ categories: await listCategories(transaction, projectId), tags: [] });
    const check = (ids: readonly number[]): void => {
      const details = ids.flatMap((id) => scope.categories.get(id) ?? []);
      if (details.length < ids.length) throw new UserError("There is no such category.");
      for (const [parentId, given] of groupBy(details, (one) => one.parentId))
        if (given.length > 1 && scope.exclusiveParents.has(parentId))
          throw new UserError(`${given.map(({ name }) => name).join(" and ")} exclude each other.`);
    };
    const edited = await editMentions(
      transaction,
      [{ queryId, resourceId }],
      (mention) => {
        const has = ((mention.fields["categories"] ?? []) as readonly number[]).filter((id) =>
          scope.categories.has(id),
        );
        const ids = [...new Set(change(has))];
        check(ids);
        const set = {
          addCategories: ids.filter((id) => !has.includes(id)),
          removeCategories: has.filter((id) => !ids.includes(id)),
        };
        return [withJudgements(mention, changesOf(set, scope, mention))];
      },
      at,
    );
    if (edited.length === 0) throw new UserError("There is no such mention.");
  });
}
