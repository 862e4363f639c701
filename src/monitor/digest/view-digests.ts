import type { Instant } from "../../lib/instant.ts";
import { instantOf, localDateOf } from "../../lib/local-time.ts";
import { PEOPLE } from "../model/people.ts";
import type { ViewMail } from "../model/view-mail.ts";
import { hasFilters, InsightsQuestion } from "../views/question.ts";
import { type Range, readRange } from "../views/range.ts";
import type { PlannedDigest } from "./planned-digest.ts";

/** What a view shows on a Monday: pages of which digests know the figures. */
const MAILED_PAGES = ["/insights", "/insights/speakers", "/insights/stories"] as const;
export type MailedPage = (typeof MAILED_PAGES)[number];

/**
 * The address of a view, taken apart. Null: it is of a page that no mail shows, of fixed days, which never change, or of
 * stories with filters.
 */
export function readMailedView(
  address: string,
): { readonly page: MailedPage; readonly question: InsightsQuestion } | null {
  const url = new URL(address, "http://earshot.invalid");
  const page = MAILED_PAGES.find((one) => one === url.pathname);
  const parameters = Object.fromEntries(url.searchParams);
  const question = InsightsQuestion.parse({ ...parameters, query: url.searchParams.getAll("query") });
  if (page === undefined || (question.last === null && question.from !== null)) return null;
  if (page === "/insights/stories" && hasFilters(question)) return null;
  return { page, question };
}

/** A digest of one reader for each view that somebody wants: Mondays at eight, by their clock. */
export function planViews(mails: readonly ViewMail[]): readonly PlannedDigest[] {
  return mails.map(({ name, nameKey, title, address, timezone, since, last }) => ({
    ...{ name, title },
    ...{ at: 8 * 60, every: "week", on: "mon", timezone, language: "en", queries: ["*"], skipQuiet: false },
    ...{ receivers: [PEOPLE], languages: new Map() },
    view: { address, reader: nameKey },
    // One that was wanted once, and is again, begins anew.
    known: {
      since,
      last: last === null || last.dueAt < since ? null : { key: last.key, periodTo: last.dueAt },
    },
  }));
}

/** The whole days before an edition that the question asks for, and as many before them. */
export function rangeOfView({ last, by }: InsightsQuestion, dueAt: Instant, timezone: string): Range {
  const midnight = instantOf(timezone, localDateOf(dueAt, timezone), 0, "first");
  const question = { last, from: null, to: null, by: by === "week" ? by : null };
  return readRange(question, midnight - 1, timezone);
}
