import { z } from "zod";
import type { AlertListing, AlertPosition, AlertStates } from "#monitor";
import { LATEST_INSTANT } from "../../lib/instant.ts";
import { withParameter } from "../common/address.ts";
import { WORKFLOW_SCRIPT } from "../common/assets.ts";
import { type Html, html } from "../common/html.ts";
import { alertList } from "../parts/alert-list.ts";
import { ALERT_KEYS, alertBar } from "../parts/alert-work.ts";
import { livePart } from "../parts/live.ts";
import { openAlertsPart } from "../parts/open-alerts.ts";
import type { Page, PageParts } from "../parts/page.ts";
import { keysHelp, type WorkForm } from "../parts/workflow.ts";

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
    .transform((text): AlertPosition => {
      const [openedAt, id = ""] = text.split("_");
      return { openedAt: Number(openedAt), id };
    })
    .pipe(z.object({ openedAt: z.number().int().min(0).max(LATEST_INSTANT), id: z.guid() }))
    .nullable()
    .catch(null),
});
export type AlertsQuestion = z.output<typeof AlertsQuestion>;

export function readAlerts({ facts }: PageParts, { state, after }: AlertsQuestion): Promise<AlertListing> {
  return facts.alerts(state, after, LENGTH);
}

/** What is open is listed by importance, and what is over by time. */
export async function alertsPart(
  address: string,
  parts: PageParts,
  question: AlertsQuestion,
  { isWorkedOn }: { readonly isWorkedOn: boolean },
): Promise<Html> {
  if (question.state === "open" && question.after === null) return openAlertsPart(parts, LENGTH, isWorkedOn);
  const { alerts, next } = await readAlerts(parts, question);
  return html`${alertList(alerts, parts.times, EMPTY[question.state], isWorkedOn)}${
    next !== null &&
    html`<p class="more"><a href="${withParameter(address, "after", `${next.openedAt}_${next.id}`)}">Older alerts</a></p>`
  }`;
}

export function alertsPage(
  address: string,
  question: AlertsQuestion,
  list: Html,
  /** Of a reader who may act. */
  work: WorkForm | null,
): Page {
  const part = { name: work === null ? "list" : "work-list", on: ["alerts"] as const };
  return {
    title: "Alerts",
    section: "/alerts",
    ...(work !== null && { scripts: [WORKFLOW_SCRIPT.address] }),
    body: html`<div class="title"><h1>Alerts</h1><nav aria-label="State"><ul class="tabs">${STATES.map(
      ([state, label]) =>
        html`<li><a href="/alerts?state=${state}"${state === question.state && html` aria-current="page"`}>${label}</a></li>`,
    )}</ul></nav></div>
<div class="panel"><h2 class="unseen">${HEADINGS[question.state]}</h2>${livePart(address, { ...part, alsoOn: ["worked from:body"] }, list)}</div>
${work !== null && html`<div id="work-notice" role="status"></div>${alertBar(work)}${keysHelp(ALERT_KEYS)}`}
<p class="detail"><a href="/alerts.atom">Atom feed</a>${
      work !== null && html` <button type="button" id="open-keys" class="as-link" hidden>Keys (?)</button>`
    }</p>`,
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
