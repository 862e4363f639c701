import { type AuditEntry, describeActor } from "#monitor";
import { withParameter } from "../common/address.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";

/** What people changed, or tried to: for admins. */
export function auditPage(
  shown: {
    readonly entries: readonly (AuditEntry & { readonly id: number })[];
    readonly who: string;
    readonly action: string;
    readonly address: string;
    /** The number from which older ones begin; null: there are none. */
    readonly next: number | null;
  },
  times: Times,
): Page {
  const { entries, who, action, address, next } = shown;
  return {
    title: "Audit log",
    section: null,
    body: html`<p class="crumb"><a href="/users">Users</a></p>
<div class="title"><h1>Audit log</h1><p class="hint"><a href="${`/audit.jsonl${query(address)}`}">Download as JSON Lines</a></p></div>
<section class="panel action-form" aria-labelledby="h-filter"><h2 id="h-filter" class="unseen">Filter</h2>
<form method="get" action="/audit">
<label>Who <input name="who" maxlength="80" value="${who}"></label>
<label>What <input name="action" maxlength="40" value="${action}" placeholder="user."></label>
<button type="submit">Show</button></form></section>
<section class="panel" aria-labelledby="h-entries"><h2 id="h-entries" class="unseen">Entries</h2>${table(entries, times)}
${next !== null && html`<p><a href="${withParameter(address, "before", String(next))}">Older</a></p>`}</section>`,
  };
}

function query(address: string): string {
  const start = address.indexOf("?");
  return start === -1 ? "" : address.slice(start);
}

function table(entries: readonly AuditEntry[], times: Times): Html {
  if (entries.length === 0) return html`<p class="empty">There is nothing.</p>`;
  return html`<div class="scrolls" tabindex="0" role="group" aria-labelledby="h-entries"><table>
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">To</th><th scope="col">From</th></tr></thead>
<tbody>${entries.map(
    (one) =>
      html`<tr>
<td>${times.moment(one.at)}</td>
<th scope="row">${foreign(describeActor(one.actor))}${one.role !== null && html` <span class="hint">${one.role}</span>`}</th>
<td>${one.action}${one.outcome !== "Done" && html` <strong>${one.outcome === "Refused" ? "refused" : "failed"}</strong>`}</td>
<td>${foreign(one.target)}${one.detail !== "" && html`<br><span class="detail">${foreign(one.detail)}</span>`}</td>
<td>${foreign(one.origin)}</td>
</tr>`,
  )}</tbody></table></div>`;
}
