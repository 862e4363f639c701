import { formatTime } from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import { counted, formatNumber } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { HourVolume, QueryVolume } from "./build-volume.ts";
import type { ShownSentiment } from "./mention-list.ts";
import { foreign } from "./words.ts";

const BAR = 10;
const GAP = 2;
const HEIGHT = 56;
/** From bottom to top: the values to compare share the base line. */
const STACK: readonly ShownSentiment[] = ["negative", "unknown", "neutral", "positive"];

/** The colours of moods in charts. */
export function moodLegend(label = "Colours"): Html {
  return html`<ul class="legend" aria-label="${label}">
<li class="is-negative">negative</li>
<li class="is-neutral">neutral</li>
<li class="is-positive">positive</li>
<li>unknown</li>
</ul>`;
}

type HourName = (at: Instant) => string;

/** `14:00`; where a day has passed, with the day: every hour of the day is there several times. */
function hourOf({ hours }: QueryVolume, times: Times): HourName {
  return hours.length > 24 ? (at) => formatTime(at, times.zone) : times.hour;
}

/**
 * Bars by hour, and the same numbers as a sentence and a table. Linked: its name leads to its mentions. `isPast`: the last
 * bar is not of now.
 */
export function volumeChart(
  volume: QueryVolume,
  times: Times,
  { isLinked = true, isPast = false }: { readonly isLinked?: boolean; readonly isPast?: boolean } = {},
): Html {
  const hour = hourOf(volume, times);
  const [oldest, newest] = [volume.hours[0], volume.hours.at(-1)];
  const id = `volume-${volume.projectId}-${volume.queryId}`.replaceAll(/[^\w-]/g, "_");
  const share = volume.total === 0 ? 0 : Math.round((100 * volume.negative) / volume.total);
  const query = new URLSearchParams({ query: volume.queryId }).toString();
  return html`<section class="volume" aria-labelledby="${id}-name">
<div class="volume-head">
<h3 id="${id}-name">${
    isLinked
      ? html`
<a id="${id}-link" href="/mentions?${query}">${foreign(volume.queryName)}</a>
`
      : foreign(volume.queryName)
  }</h3>
<p>
<strong>${formatNumber(volume.total)}</strong> <span class="share">${share}% negative</span>
</p>
</div>
${drawing(id, volume, hour)}
<div class="volume-axis" aria-hidden="true">
<span>${oldest !== undefined && hour(oldest.hour)}</span><span>peak ${formatNumber(volume.peak.total)} at ${hour(volume.peak.hour)}</span><span>${
    isPast ? newest !== undefined && hour(newest.hour) : "now"
  }</span>
</div>
<details id="${id}-numbers">
<summary id="${id}-summary">Numbers by hour<span class="unseen"> of ${volume.queryName}</span>
</summary>${numbers(volume, hour)}</details>
</section>`;
}

function drawing(id: string, volume: QueryVolume, nameOf: HourName): Html {
  const width = volume.hours.length * (BAR + GAP) - GAP;
  const scale = HEIGHT / Math.max(1, volume.peak.total);
  return html`<svg class="bars" role="img" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">Mentions of ${volume.queryName} by hour</title>
<desc
  id="${id}-desc">${counted(volume.total, "mention")} in ${volume.hours.length} hours, ${formatNumber(
    volume.negative,
  )} of them negative; most in the hour from ${nameOf(volume.peak.hour)}, ${formatNumber(volume.peak.total)}.</desc>
${volume.hours.map((hour, index) => bar(hour, index * (BAR + GAP), scale, nameOf))}</svg>`;
}

function bar(hour: HourVolume, x: number, scale: number, nameOf: HourName): Html {
  let y = HEIGHT;
  const pieces = STACK.flatMap((sentiment) => {
    const height = hour[sentiment] * scale;
    if (height === 0) return [];
    y -= height;
    return [
      html`<rect class="fill-${sentiment}" x="${x}" y="${y.toFixed(2)}" width="${BAR}" height="${height.toFixed(2)}"/>`,
    ];
  });
  return html`<g><title>${nameOf(hour.hour)}: ${counted(hour.total, "mention")}, ${hour.negative} negative</title><rect class="fill-none" x="${x}"
  y="0" width="${BAR + GAP}" height="${HEIGHT}"/>${pieces}</g>`;
}

function numbers(volume: QueryVolume, nameOf: HourName): Html {
  return html`<table class="numbers">
<thead>
<tr>
<th scope="col">From</th>
<th scope="col">All</th>
<th scope="col">Negative</th>
<th scope="col">Neutral</th>
<th scope="col">Positive</th>
<th scope="col">Unknown</th>
</tr>
</thead>
<tbody>${volume.hours.toReversed().map(
    (hour) =>
      html`<tr>
<th scope="row">${nameOf(hour.hour)}</th>
<td>${hour.total}</td>
<td>${hour.negative}</td>
<td>${hour.neutral}</td>
<td>${hour.positive}</td>
<td>${hour.unknown}</td>
</tr>`,
  )}</tbody></table>`;
}
