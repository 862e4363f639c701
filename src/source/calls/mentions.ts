import { readBudget } from "../budget.ts";
import type { Call } from "../define-call.ts";
import { type MentionsParams, mentionsPath } from "../mentions-path.ts";
import { type Page, toPage } from "../to-page.ts";

export const mentions: Call<MentionsParams, Page> = {
  name: "mentions",
  path: mentionsPath,
  read: (answer) => toPage(answer.body, readBudget(answer.header)),
};
