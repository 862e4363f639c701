import type { MessageContent } from "../../notify/define-notifier.ts";
import { type MessagePreview, previewMessage } from "../../notify/preview-message.ts";
import type { Renderer } from "../../templates/create-renderer.ts";
import { type Sample, samples } from "../../templates/samples.ts";

export interface Previews {
  /** What there is to look at, by what it is about. */
  readonly samples: readonly { readonly about: Sample["about"]; readonly name: string }[];
  /** The sample of that name, or the usual one where it is null; null when there is none of that name. */
  ofSample(about: Sample["about"], name: string | null): MessagePreview | null;
  /** An alert as it would be told now; null when it is stored no longer. */
  ofAlert(id: string): Promise<MessagePreview | null>;
}

/** Messages to look at. `contentOf` reads an alert. */
export function createPreviews(parts: {
  readonly renderer: Renderer;
  readonly contentOf: (alertId: string) => Promise<MessageContent | null>;
}): Previews {
  return {
    samples: samples.map(({ about, name }) => ({ about, name })),
    ofSample: (about, name) => {
      const sample = samples.find((one) => one.about === about && (name === null || one.name === name));
      return sample === undefined ? null : previewMessage(contentOfSample(sample), parts.renderer);
    },
    ofAlert: async (id) => {
      const content = await parts.contentOf(id);
      return content === null ? null : previewMessage(content, parts.renderer);
    },
  };
}

export function contentOfSample(sample: Sample): MessageContent {
  return sample.about === "digest"
    ? { kind: "digest", view: sample.view }
    : { kind: sample.view.kind, view: sample.view };
}
