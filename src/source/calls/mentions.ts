import { addressOf } from "../addresses.ts";
import { readBudget } from "../budget.ts";
import type { Call } from "../define-call.ts";
import { type MentionsParams, mentionsParameters } from "../mention-params.ts";
import { type Page, toPage } from "../to-page.ts";

export const mentions: Call<MentionsParams, Page> = {
  name: "mentions",
  path: (params) =>
    addressOf(
      params.fullText === true ? "mentions-fulltext" : "mentions",
      { projectId: params.projectId },
      mentionsParameters(params),
    ),
  read: (answer) => toPage(answer.body, readBudget(answer.header), answer.header("date")),
};
