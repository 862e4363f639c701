import type { DigestView } from "./digest-view.ts";
import { sampleAlertViews } from "./sample-alert-views.ts";
import { sampleDigestViews } from "./sample-digest-views.ts";
import type { AlertView } from "./view.ts";

/** A sample message for previews. */
export type Sample =
  | { readonly about: "alert"; readonly name: string; readonly view: AlertView }
  | { readonly about: "digest"; readonly name: string; readonly view: DigestView };

/** The samples by name, those of alerts first; the first of each kind is its usual one. */
export const samples: readonly Sample[] = [
  ...sampleAlertViews.map((view, index) => ({
    about: "alert" as const,
    name: nameOfAlert(view, index),
    view,
  })),
  ...sampleDigestViews.map((view) => ({ about: "digest" as const, name: nameOfDigest(view), view })),
];

function nameOfAlert(view: AlertView, index: number): string {
  if (view.consoleUrl === null) return view.kind === "resolved" ? "bare-resolved" : "bare";
  if (view.kind !== "fired" || index === 0) return view.kind;
  return view.resolvedAt === null ? "fired-with-others" : "fired-and-resolved";
}

function nameOfDigest(view: DigestView): string {
  if (!view.quiet) return "full";
  return view.totals.mentions === 0 ? "empty" : "quiet";
}
