import { expandReason, type ShownNotification } from "#monitor";
import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { foreign, shorten } from "./words.ts";

/** Notifications and their outcomes. */
export function notificationTable(
  notifications: readonly ShownNotification[],
  times: Times,
  caption: string,
): Html {
  if (notifications.length === 0) return html`<p class="empty">Nothing was sent yet.</p>`;
  return html`<table class="sent"><caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Decided</th><th scope="col">To</th><th scope="col">About</th><th scope="col">Outcome</th></tr></thead>
<tbody>${notifications.map((one) => notificationRow(one, times))}</tbody></table>`;
}

function notificationRow(one: ShownNotification, times: Times): Html {
  return html`<tr><td class="when">${times.moment(one.createdAt)}</td><td>${foreign(one.receiver)}</td>
<td>${aboutOf(one, times)}</td><td>${outcomeOf(one)}</td></tr>`;
}

function aboutOf(one: ShownNotification, times: Times): Html {
  // How much it grew, the message says.
  const kind = one.kind === "doubled" ? "grew" : one.kind;
  const what = one.kind === "digest" ? (one.digestName ?? "digest") : expandReason(kind);
  if (one.alertId === null) return html`${what}`;
  return html`<a id="sent-${one.id}" href="/alerts/${one.alertId}">${what}:
${foreign(one.queryName ?? "")}${one.rule !== null && html`, ${times.titleOf(one.rule)}`}</a>`;
}

/** Sent, waiting, failing or given up, with the vendor's last error. */
export function outcomeOf(one: Pick<ShownNotification, "state" | "attempts" | "lastError">): Html {
  const tries = one.attempts > 1 ? ` after ${counted(one.attempts, "attempt")}` : "";
  const fault =
    one.lastError === null
      ? null
      : html`<span class="fault" dir="auto">${shorten(one.lastError, 200)}</span>`;
  switch (one.state) {
    case "sent":
      return html`<span class="outcome is-sent">sent${tries}</span>`;
    case "dead":
      return html`<span class="outcome is-dead">given up${tries}</span>${fault}`;
    case "due":
      return one.attempts === 0
        ? html`<span class="outcome is-due">waiting</span>`
        : html`<span class="outcome is-failing">failed ${one.attempts === 1 ? "once" : `${one.attempts} times`}, will be tried again</span>${fault}`;
  }
}
