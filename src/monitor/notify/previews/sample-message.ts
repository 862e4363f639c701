import { formatMinutes } from "../../../lib/duration.ts";
import { MINUTE } from "../../../lib/instant.ts";
import { drawSpikeChart } from "../../charts/draw-spike-chart.ts";
import { type Sample, samples } from "../../templates/samples.ts";
import type { AlertView } from "../../templates/view.ts";
import type { MessagePreview } from "../preview-message.ts";
import type { PreviewContent } from "./preview-template.ts";

/** A previewed message: `shown` is the HTML of the mail with its picture embedded. */
export interface ShownPreview extends MessagePreview {
  readonly email: MessagePreview["email"] & { readonly shown: string };
}

/** `picture`: of its mail. */
export function showMessage(
  message: MessagePreview,
  picture: NonNullable<PreviewContent["picture"]> | null,
): ShownPreview {
  return { ...message, email: { ...message.email, shown: withPicture(message.email.html, { picture }) } };
}

/** The sample of that name, or the usual one where it is null; null when there is none of that name. */
export function findSample(about: Sample["about"], name: string | null): Sample | null {
  return samples.find((one) => one.about === about && (name === null || one.name === name)) ?? null;
}

export function contentOfSample(sample: Sample): PreviewContent {
  if (sample.about === "digest") return { kind: "digest", view: sample.view };
  const { view } = sample;
  return { kind: view.kind, view, picture: view.hasChart ? sampleCharts(view) : null };
}

/** HTML of a mail with its picture inside. */
export function withPicture(html: string, { picture }: Pick<PreviewContent, "picture">): string {
  return html
    .replaceAll("cid:chart@earshot", inside(picture?.light))
    .replaceAll("cid:chart-dark@earshot", inside(picture?.dark));
}

function inside(svg: string | undefined): string {
  return `data:image/svg+xml;base64,${Buffer.from(svg ?? "").toString("base64")}`;
}

/** An invented day before the alert of a sample, so that its mail is previewed with a picture. */
function sampleCharts(view: AlertView): { readonly light: string; readonly dark: string } {
  return { light: sampleChart(view, "light"), dark: sampleChart(view, "dark") };
}

function sampleChart(view: AlertView, theme: "light" | "dark"): string {
  const { windowFrom, windowTo, timezone, openedAt } = view;
  // Bars are as wide as the window, and the last one is the window itself.
  const columnMs = windowTo > windowFrom ? windowTo - windowFrom : 30 * MINUTE;
  const bars = 48;
  const columns = Array.from({ length: bars }, (_, index) => {
    const daily = 11 + 6 * Math.sin((index / bars) * 2 * Math.PI);
    const noise = ((index * 7919) % 7) - 3;
    return {
      at: windowTo - (bars - index) * columnMs,
      count: index === bars - 1 ? (view.values["count"] ?? 62) : Math.max(0, Math.round(daily + noise)),
      expected: daily,
      ordinary: daily + 14,
    };
  });
  return drawSpikeChart(
    {
      name: view.query,
      title: `negative mentions in ${formatMinutes(columnMs)}`,
      counted: `mentions in ${formatMinutes(columnMs)}`,
      columns,
      columnMs,
      firing: [{ from: windowFrom, to: windowTo }],
      notifiedAt: [openedAt],
      zone: timezone,
    },
    theme,
  );
}
