import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Instant } from "../../lib/instant.ts";
import type { ObservedMessage } from "./observed.ts";

type Snapshot =
  | { readonly outcome: "None" | "Same" | "Written" }
  | { readonly outcome: "Differs"; readonly because: string };

/**
 * Compares the messages of a test with those that were written down before, in `snapshots/<name>.txt` beside it. Without
 * such a file nothing is compared; `update` writes it.
 */
export async function compareSnapshot(
  file: string,
  messages: readonly ObservedMessage[],
  show: (at: Instant) => string,
  update: boolean,
): Promise<Snapshot> {
  const place = join(dirname(file), "snapshots", `${basename(file, ".test.yaml")}.txt`);
  const now = snapshotOf(messages, show);
  if (update) {
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, now);
    return { outcome: "Written" };
  }
  const before = await readFile(place, "utf8").catch(() => null);
  if (before === null) return { outcome: "None" };
  return before === now
    ? { outcome: "Same" }
    : { outcome: "Differs", because: firstDifference(place, before, now) };
}

/** All messages in order of time, as their readers got them; without edits, which nobody is notified of. */
export function snapshotOf(messages: readonly ObservedMessage[], show: (at: Instant) => string): string {
  const parts = messages
    .filter(({ isEdit }) => !isEdit)
    .map(
      (message) =>
        `=== ${show(message.at)}  ${message.kind} to ${message.receiver}\n\n${withoutIds(textOf(message)).trim()}\n`,
    );
  // Receivers are served side by side: their order within a minute says nothing.
  return parts.length === 0 ? "no message\n" : parts.sort(byHeading).join("\n");
}

function byHeading(a: string, b: string): number {
  return headingOf(a) < headingOf(b) ? -1 : headingOf(a) > headingOf(b) ? 1 : 0;
}

function headingOf(part: string): string {
  const heading = part.slice(0, part.indexOf("\n"));
  return heading.includes("day ")
    ? heading.replace(/day (\d+)/, (_, day: string) => day.padStart(4, "0"))
    : `=== 0001 ${heading.slice(4)}`;
}

/** Of a webhook's JSON what its receiver acts on; links and moments of a run are new in each. */
export function textOf({ kind, text }: Pick<ObservedMessage, "kind" | "text">): string {
  if (kind !== "webhook") return text;
  const { kind: why, alert, digest } = JSON.parse(text) as WebhookBody;
  const { query = null, text: what = "" } = alert?.announcement ?? {};
  const about = alert === undefined ? (digest?.name ?? "") : `${query === null ? "" : `${query}: `}${what}`;
  return [`${why}${alert === undefined ? "" : `, ${alert.severity}, ${alert.ruleName}`}`, about].join("\n");
}

/** The part of a webhook's body that is compared. We wrote it. */
interface WebhookBody {
  readonly kind: string;
  readonly alert?: {
    readonly severity: string;
    readonly ruleName: string;
    readonly announcement: { readonly query: string | null; readonly text: string };
  };
  readonly digest?: { readonly name: string };
}

/** Ids of alerts are new in each run. */
function withoutIds(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>");
}

function firstDifference(place: string, before: string, now: string): string {
  const [old, fresh] = [before.split("\n"), now.split("\n")];
  const line = old.findIndex((text, index) => text !== fresh[index]);
  const at = line === -1 ? old.length : line;
  return [
    `the messages differ from ${place}:${at + 1} (--update accepts the new ones)`,
    `      before: ${old[at] ?? "(nothing)"}`,
    `      now:    ${fresh[at] ?? "(nothing)"}`,
  ].join("\n");
}
