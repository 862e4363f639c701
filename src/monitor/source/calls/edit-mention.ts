import type { MentionEdit } from "../../model/source-edit.ts";
import { addressOf, type Call } from "../define-call.ts";
import { toWireId } from "../wire-values.ts";

export interface EditParams {
  readonly projectId: string;
  readonly queryId: string;
  readonly resourceId: string;
  readonly edit: MentionEdit;
}

/**
 * Edits one mention. The specification has no such call; the public documentation of the live service and its clients
 * have it, by POST and by PATCH (docs/adr/corrections-are-written-back.md). Sent twice, it changes nothing.
 */
export const editMention: Call<EditParams, void> = {
  name: "edit-mention",
  path: ({ projectId }) => addressOf("mentions", { projectId }),
  body: ({ queryId, resourceId, edit }) => [
    { queryId: toWireId(queryId), resourceId, ...("sentiment" in edit ? edit : categoriesOf(edit)) },
  ],
  // What it answers is not described: that it is in 2xx says enough.
  read: () => {},
};

function categoriesOf({
  addCategories,
  removeCategories,
}: Extract<MentionEdit, { readonly addCategories: unknown }>) {
  return {
    ...(addCategories.length > 0 && { addCategories: addCategories.map(toWireId) }),
    ...(removeCategories.length > 0 && { removeCategories: removeCategories.map(toWireId) }),
  };
}
