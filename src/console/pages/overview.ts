import { floorTo, HOUR } from "../../lib/instant.ts";
import { type Html, html } from "../common/html.ts";
import { buildVolume, type QueryVolume } from "../parts/build-volume.ts";
import { livePart, openCount } from "../parts/live.ts";
import { mentionList } from "../parts/mention-list.ts";
import { notificationTable } from "../parts/notification-table.ts";
import { openAlertsPart } from "../parts/open-alerts.ts";
import type { Page, PageParts } from "../parts/page.ts";
import { moodLegend, volumeChart } from "../parts/volume-chart.ts";

const OPEN_ALERTS = 6;
const NEWEST_MENTIONS = 30;
const LATELY_SENT = 12;
const CHARTS = 8;
const HOURS = 24;

export type VolumeReader = () => Promise<readonly QueryVolume[]>;

/** The parts by name, so that each can be requested alone. */
export function overviewParts(parts: PageParts, readVolume: VolumeReader) {
  return {
    count: async () => openCount(await parts.facts.countOpenAlerts()),
    alerts: () => openAlertsPart(parts, OPEN_ALERTS),
    volume: async () => volumePart(await readVolume(), parts),
    mentions: async () =>
      mentionList(
        await parts.facts.newestMentions(NEWEST_MENTIONS),
        parts.times,
        "No mention has arrived yet.",
      ),
    sent: async () =>
      notificationTable(
        await parts.facts.notifications(LATELY_SENT),
        parts.times,
        "Notifications, newest first",
      ),
  };
}

export async function overviewPage(
  address: string,
  parts: PageParts,
  readVolume: VolumeReader,
): Promise<Page> {
  const own = overviewParts(parts, readVolume);
  const [alerts, volume, mentions, sent] = await Promise.all([
    own.alerts(),
    own.volume(),
    own.mentions(),
    own.sent(),
  ]);
  return {
    title: "Overview",
    section: "/",
    body: html`<h1 class="unseen">Overview</h1><div class="overview">
<section class="panel area-alerts" aria-labelledby="h-alerts">
<h2 id="h-alerts">Open alerts</h2>${livePart(address, { name: "alerts", on: ["alerts"] }, alerts)}</section>
<section class="panel area-volume" aria-labelledby="h-volume">
<h2 id="h-volume">Volume in 24 hours</h2>${livePart(address, { name: "volume", on: ["volume"] }, volume)}</section>
<section class="panel area-mentions" aria-labelledby="h-mentions">
<h2 id="h-mentions">Newest mentions</h2>${livePart(address, { name: "mentions", on: ["mentions"] }, mentions)}<p class="more">
<a href="/mentions">All mentions</a>
</p>
</section>
<section class="panel area-sent" aria-labelledby="h-sent">
<h2 id="h-sent">Sent lately</h2>${livePart(address, { name: "sent", on: ["notifications"] }, sent)}</section>
</div>`,
  };
}

/** Volume of the last 24 hours, including the current one. */
export async function readVolume({
  facts,
  times,
}: Pick<PageParts, "facts" | "times">): Promise<readonly QueryVolume[]> {
  const from = floorTo(times.now(), HOUR) - (HOURS - 1) * HOUR;
  return buildVolume(await facts.volume(from, from + HOURS * HOUR), from, HOURS);
}

function volumePart(volumes: readonly QueryVolume[], { times }: PageParts): Html {
  if (volumes.length === 0) return html`<p class="empty">No mention in the last 24 hours.</p>`;
  const hidden = volumes.length - CHARTS;
  return html`${moodLegend()}
${volumes.slice(0, CHARTS).map((volume) => volumeChart(volume, times))}
${hidden > 0 && html`<p class="more">${hidden} quieter ${hidden === 1 ? "query" : "queries"} not shown. <a href="/health">All queries</a></p>`}`;
}
