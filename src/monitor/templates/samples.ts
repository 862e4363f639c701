import type { DigestView } from "./digest-view.ts";
import { sampleAlertViews } from "./sample-alert-views.ts";
import { sampleDigestViews } from "./sample-digest-views.ts";
import { sampleMentionViews } from "./sample-mention-views.ts";
import type { TemplateName } from "./template-names.ts";
import type { AlertView } from "./view.ts";

/**
 * Views for every branch of a template: each kind of message, with all optional values and with none. `check()` renders
 * all of them; `preview` and `send-test` show the first.
 */
export function sampleViews(name: TemplateName): readonly object[] {
  const [, what = ""] = name.split("/");
  if (what.startsWith("alert-mention")) return sampleMentionViews;
  return what.startsWith("digest") ? sampleDigestViews : sampleAlertViews;
}

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
  if (view.mentionsCount === 1) return view.kind === "resolved" ? "single-resolved" : "single";
  if (view.kind !== "fired" || index === 0) return view.kind;
  return view.resolvedAt === null ? "fired-with-others" : "fired-and-resolved";
}

function nameOfDigest(view: DigestView): string {
  if (view.page !== null) return "view";
  if (!view.quiet) return "full";
  return view.totals.mentions === 0 ? "empty" : "quiet";
}
