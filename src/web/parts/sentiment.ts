import { type Html, html } from "../html.ts";

export const SENTIMENTS = ["negative", "neutral", "positive"] as const;
export type ShownSentiment = (typeof SENTIMENTS)[number] | "unknown";

/** The sentiments that have a colour; any other is shown as unknown. */
export function sentimentOf(value: string | null): ShownSentiment {
  return SENTIMENTS.find((known) => known === value) ?? "unknown";
}

/** The shape and the word carry the meaning; the colour only helps. */
export function sentimentMark(value: string | null): Html | null {
  const sentiment = sentimentOf(value);
  if (sentiment === "unknown") return null;
  return html`<span class="sentiment is-${sentiment}"><span aria-hidden="true">${SHAPES[sentiment]}</span> ${sentiment}</span>`;
}

const SHAPES = { negative: "▼", neutral: "●", positive: "▲" } as const;
