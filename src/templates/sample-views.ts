import { sampleAlertViews } from "./sample-alert-views.ts";
import { sampleDigestViews } from "./sample-digest-views.ts";
import { sampleMentionViews } from "./sample-mention-views.ts";
import type { TemplateName } from "./template-names.ts";

/**
 * Views for every branch of a template: each kind of message, with all optional values and with none. `check()` renders
 * all of them; `preview` and `send-test` show the first.
 */
export function sampleViews(name: TemplateName): readonly object[] {
  const [, what = ""] = name.split("/");
  if (what.startsWith("alert-mention")) return sampleMentionViews;
  return what.startsWith("digest") ? sampleDigestViews : sampleAlertViews;
}
