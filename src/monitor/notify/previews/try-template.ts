import type { Renderer } from "../../templates/create-renderer.ts";
import { openTemplates } from "../../templates/open-templates.ts";
import type { Sample } from "../../templates/samples.ts";
import type { MessageContent } from "../define-notifier.ts";
import type { MessagePreview } from "../preview-message.ts";
import { contentOfSample, findSample, type ShownPreview, showMessage } from "./sample-message.ts";

export interface TemplateToTry {
  /** The folder of templates. */
  readonly folder: string;
  /** Such as `slack/alert-about.mrkdwn`. */
  readonly name: string;
  readonly text: string;
  readonly about: Sample["about"];
  /** The usual one where it is null. */
  readonly sample: string | null;
}

/** The whole message with the text in place of the template; or all faults of the folder with it, each with its file. */
export type TriedTemplate = { readonly faults: readonly string[] } | { readonly message: ShownPreview };

/**
 * Call it in a thread: what people type may take a long time. `compose` are the functions of the notifiers, without
 * what sends: a thread has no need to load that.
 */
export async function tryTemplate(
  { folder, name, text, about, sample }: TemplateToTry,
  compose: {
    readonly [Kind in "slack" | "email"]: (
      content: MessageContent,
      renderer: Renderer,
    ) => MessagePreview[Kind];
  },
): Promise<TriedTemplate> {
  const renderer = await openTemplates(folder, { name, text });
  const faults = renderer.check();
  const shown = findSample(about, sample) ?? findSample(about, null);
  if (faults.length > 0 || shown === null) return { faults };
  const { picture = null, ...content } = contentOfSample(shown);
  const message = { slack: compose.slack(content, renderer), email: compose.email(content, renderer) };
  return { message: showMessage(message, picture) };
}
