import { type ProcessVersions, whyOther } from "#monitor";
import { type Html, html } from "../common/html.ts";
import type { PageParts } from "./page.ts";
import { foreign, shorten } from "./words.ts";

/** The running processes, and which version of the configuration each runs. Empty if none reports itself. */
export function processesPart(
  { asked, processes }: ProcessVersions,
  moment: PageParts["times"]["moment"],
): Html | null {
  if (processes.length === 0) return null;
  const others = processes.filter(({ differsSince }) => differsSince !== null).length;
  return html`<section class="panel" aria-labelledby="h-processes"><h2 id="h-processes">Processes</h2>
<p class="hint">${
    others === 0
      ? html`All run version <code>${asked}</code> of the configuration, rules and templates.`
      : html`<strong
  class="fault">${others} of ${processes.length}</strong> do not run version <code>${asked}</code> of the configuration, which was asked for.`
  } <code>earshot reload</code> makes all apply a change.</p>
<div class="scrolls" tabindex="0" role="region" aria-label="Processes by version">
<table>
<thead>
<tr>
<th scope="col">Host</th>
<th scope="col" class="number">Process</th>
<th scope="col">Roles</th>
<th scope="col">Version</th>
<th scope="col">Since</th>
<th scope="col">State</th>
</tr>
</thead>
<tbody>${processes.map(
    (one) =>
      html`<tr>
<th scope="row">${foreign(one.host)}</th>
<td class="number">${one.pid}</td>
<td>${one.roles.join(", ")}</td>
<td>
<code>${one.version}</code>
</td>
<td>${moment(one.since)}</td>
<td>${stateOf(one)}</td>
</tr>`,
  )}</tbody></table></div></section>
`;
}

function stateOf(one: ProcessVersions["processes"][number]): Html {
  if (one.differsSince === null && one.refused === null) return html`<span class="outcome is-sent">ok</span>`;
  const word = one.refused === null ? "another version" : "reload refused";
  return html`<span class="outcome is-failing">${word}</span><span class="fault" dir="auto">${shorten(whyOther(one), 400)}</span>`;
}
