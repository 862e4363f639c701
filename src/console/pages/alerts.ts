import { z } from "zod";
import type { AlertListing, AlertPosition, AlertStates } from "#monitor";
import { withParameter } from "../common/address.ts";
import { type Html, html } from "../common/html.ts";
import { alertList } from "../parts/alert-list.ts";
import { livePart } from "../parts/live.ts";
import { openAlertsPart } from "../parts/open-alerts.ts";
import type { Page, PageParts } from "../parts/page.ts";

const LENGTH = 50;
const STATES: readonly (readonly [AlertStates, string])[] = [
  ["open", "Open"],
  ["resolved", "Resolved"],
  ["all", "All"],
];

/** The parameters of the list; invalid values are ignored. */
export const AlertsQuestion = z.object({
  state: z.enum(["open", "resolved", "all"]).catch("all"),
  after: z
    .string()
    .regex(/^\d{1,16}_[0-9a-f-]{36}$/)
    .transform((text): AlertPosition => {
      const [openedAt = "0", id = ""] = text.split("_");
      return { openedAt: Number(openedAt), id };
    })
    .nullable()
    .catch(null),
});
export type AlertsQuestion = z.output<typeof AlertsQuestion>;

export function readAlerts({ facts }: PageParts, { state, after }: AlertsQuestion): Promise<AlertListing> {
  return facts.alerts(state, after, LENGTH);
}

/** What is open is listed by importance, and what is over by time. */
export async function alertsPart(address: string, parts: PageParts, question: AlertsQuestion): Promise<Html> {
  if (question.state === "open" && question.after === null) return openAlertsPart(parts, LENGTH);
  const { alerts, next } = await readAlerts(parts, question);
  return html`${alertList(alerts, parts.times, EMPTY[question.state])}${
    next !== null &&
    html`<p class="more"><a href="${withParameter(address, "after", `${next.openedAt}_${next.id}`)}">Older alerts</a></p>`
  }`;
}

export async function alertsPage(address: string, parts: PageParts, question: AlertsQuestion): Promise<Page> {
  const list = await alertsPart(address, parts, question);
  return {
    title: "Alerts",
    section: "/alerts",
    body: html`<div class="title"><h1>Alerts</h1><nav aria-label="State"><ul class="tabs">${STATES.map(
      ([state, label]) =>
        html`<li><a href="/alerts?state=${state}"${state === question.state && html` aria-current="page"`}>${label}</a></li>`,
    )}</ul></nav></div>
<div class="panel"><h2 class="unseen">${HEADINGS[question.state]}</h2>${livePart(address, { name: "list", on: ["alerts"] }, list)}</div>
<p class="detail"><a href="/alerts.atom">Atom feed</a></p>`,
  };
}

const HEADINGS: Record<AlertStates, string> = {
  open: "By importance",
  resolved: "The newest first",
  all: "The newest first",
};

const EMPTY: Record<AlertStates, string> = {
  open: "No alert is open.",
  resolved: "No alert was resolved yet.",
  all: "No rule has opened an alert yet.",
};
