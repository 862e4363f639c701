import { formatDuration } from "../../lib/duration.ts";
import { SECOND } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import type { ShownWait } from "../../model/shown.ts";
import { type Html, html } from "../html.ts";
import { foreign, shorten } from "./words.ts";

/** Receivers whose messages are delayed, with the reason; empty if there are none. */
export function waitsPanel(waits: readonly ShownWait[]): Html | null {
  if (waits.length === 0) return null;
  return html`<section class="panel" aria-labelledby="h-waits"><h2 id="h-waits">Delayed receivers</h2>
<dl class="facts is-wide">${waits.map((wait) => html`<dt>${foreign(wait.receiver)}</dt><dd>${waitWords(wait)}</dd>`)}</dl></section>
`;
}

/** `paused for 30s: Slack asks us to wait 30s (rate limit); 4 messages wait`. */
export function waitWords({ outcome, forMs, because, waiting }: ShownWait): Html {
  const length =
    forMs === null ? null : formatDuration(Math.max(SECOND, Math.round(forMs / SECOND) * SECOND));
  const isFault = outcome === "Refused" || outcome === "TriedAgain";
  return html`<span${isFault && html` class="fault"`}>${WORDS[outcome](length)}</span>: <span dir="auto">${shorten(because, 300)}</span>${waiting > 0 && html`; ${counted(waiting, "message")} ${waiting === 1 ? "waits" : "wait"}`}`;
}

const WORDS: Readonly<Record<ShownWait["outcome"], (length: string | null) => string>> = {
  Refused: () => "gets no messages",
  Paused: (length) => `paused for ${length ?? "a while"}`,
  TriedAgain: () => "fails; will be tried again",
  InLine: (length) => `in line for about ${length ?? "a while"}`,
};
