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

/**
 * Bars by hour, and the same numbers as a sentence and a table. Linked: its name leads to its mentions. `end`: what stands
 * below the last bar.
 */
export function volumeChart(
  volume: QueryVolume,
  times: Times,
  { isLinked = true, end = "now" }: { readonly isLinked?: boolean; readonly end?: string } = {},
): Html {
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
${drawing(id, volume, times)}
<div class="volume-axis" aria-hidden="true">
<span>${first(volume, times)}</span><span>peak ${formatNumber(volume.peak.total)} at ${times.hour(volume.peak.hour)}</span><span>${end}</span>
</div>
<details id="${id}-numbers">
<summary id="${id}-summary">Numbers by hour<span class="unseen"> of ${volume.queryName}</span>
</summary>${numbers(volume, times)}</details>
</section>`;
}

function drawing(id: string, volume: QueryVolume, times: Times): Html {
  const width = volume.hours.length * (BAR + GAP) - GAP;
  const scale = HEIGHT / Math.max(1, volume.peak.total);
  return html`<svg class="bars" role="img" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">Mentions of ${volume.queryName} by hour</title>
<desc
  id="${id}-desc">${counted(volume.total, "mention")} in ${volume.hours.length} hours, ${formatNumber(
    volume.negative,
  )} of them negative; most in the hour from ${times.hour(volume.peak.hour)}, ${formatNumber(volume.peak.total)}.</desc>
${volume.hours.map((hour, index) => bar(hour, index * (BAR + GAP), scale, times))}</svg>`;
}

function bar(hour: HourVolume, x: number, scale: number, times: Times): Html {
  let y = HEIGHT;
  const pieces = STACK.flatMap((sentiment) => {
    const height = hour[sentiment] * scale;
    if (height === 0) return [];
    y -= height;
    return [
      html`<rect class="fill-${sentiment}" x="${x}" y="${y.toFixed(2)}" width="${BAR}" height="${height.toFixed(2)}"/>`,
    ];
  });
  return html`<g><title>${times.hour(hour.hour)}: ${counted(hour.total, "mention")}, ${hour.negative} negative</title><rect class="fill-none" x="${x}"
  y="0" width="${BAR + GAP}" height="${HEIGHT}"/>${pieces}</g>`;
}

function numbers(volume: QueryVolume, times: Times): Html {
  return html`<table class="numbers">
<thead>
<tr>
<th scope="col">From</th>
<th scope="col">All</th>
<th scope="col">Negative</th>
<th scope="col">Neutral</th>
<th scope="col">Positive</th>
</tr>
</thead>
<tbody>${volume.hours.toReversed().map(
    (hour) =>
      html`<tr>
<th scope="row">${times.hour(hour.hour)}</th>
<td>${hour.total}</td>
<td>${hour.negative}</td>
<td>${hour.neutral}</td>
<td>${hour.positive}</td>
</tr>`,
  )}</tbody></table>`;
}

function first(volume: QueryVolume, times: Times): string {
  const [oldest] = volume.hours;
  return oldest === undefined ? "" : times.hour(oldest.hour);
}
