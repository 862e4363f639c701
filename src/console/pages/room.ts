import type { CrisisRoom } from "#monitor";
import { HTMX } from "../common/assets.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { incidentBadge, incidentSpan, incidentStatus } from "../parts/incident-panel.ts";
import { statementSection, storiesSection, timelineSection, volumeSection } from "../parts/incident-story.ts";
import type { IncidentStory } from "../parts/incident-work.ts";
import { foreign } from "../parts/words.ts";
import { barePage } from "./bare-page.ts";
import { HTMX_CONFIG } from "./layout.ts";
import { problem } from "./problem.ts";

/** How often an open page asks for what is new. */
const EVERY_S = 30;

/** An incident for people without an account. Nothing on it leads into the console. */
export function roomPage(story: IncidentStory, room: CrisisRoom, path: string, times: Times): Html {
  const { queryName } = story.incident;
  const content = html`<h1>${foreign(queryName)}: what is going on</h1>
<div hx-get="${path}?part=now" hx-trigger="every ${EVERY_S}s" hx-swap="innerHTML">${roomPart(story, times)}</div>
<p class="detail">Whoever has the address of this page can read it until ${times.moment(room.until)}: treat it as confidential.
It names no authors, and shows words that at least three mentions share.</p>`;
  const head = html`<meta name="htmx-config" content="${HTMX_CONFIG}"><script src="${HTMX.address}" defer></script>`;
  return barePage(`${queryName}: what is going on`, content, null, head);
}

/** What changes while the page is open. */
export function roomPart({ incident, entries, notes, volume, stories }: IncidentStory, times: Times): Html {
  return html`<p class="alert-line">${incidentBadge(incident)} ${incidentSpan(incident, times)} · ${incidentStatus(
    incident,
    times,
  )} · as of ${times.clock(times.now())}</p>
${statementSection(notes, times, "Outsiders")}
${volumeSection(volume, times, "Outsiders")}
${storiesSection(stories, times, "Outsiders")}
${timelineSection(entries, notes, times, "Outsiders")}`;
}

const GONE = [
  "This link opens nothing",
  "It has ended, or is not complete. Ask whoever gave it to you for another one.",
] as const;

/** The same for every link that opens nothing, whatever the reason. */
export function roomGonePage(): Html {
  return barePage(GONE[0], roomGonePart());
}

export function roomGonePart(): Html {
  return problem(...GONE, false);
}

export function roomBusyPage(): Html {
  const headline = "This page was asked for too often";
  return barePage(headline, problem(headline, "Wait a minute, and open it again.", false));
}
