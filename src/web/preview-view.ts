/** Messages to look at before anybody gets them; the same code makes them that sends. */
export interface PreviewView {
  readonly samples: readonly { readonly about: "alert" | "digest"; readonly name: string }[];
  ofSample(about: "alert" | "digest", name: string | null): PreviewMessage | null;
  /** An alert as it would be told now; null when it is not stored. */
  ofAlert(id: string): Promise<PreviewMessage | null>;
  /** Names of all templates. */
  readonly templates: readonly string[];
  /** One template alone, over a sample or over an alert; null where there is none of that name. */
  ofTemplate(
    name: string,
    over: { readonly sample: string | null; readonly alert: string | null },
  ): Promise<TemplatePreview | null>;
  /** Blocks as HTML that is safe to show: everything in it is escaped. */
  renderSlack(blocks: readonly unknown[], fallback: string): string;
}

export interface TemplatePreview {
  readonly text: string;
  /** It is a part of a mail, to be shown in a frame. */
  readonly isHtml: boolean;
}

export interface PreviewMessage {
  readonly slack: SlackPreview & { readonly thread: readonly SlackPreview[] };
  readonly email: {
    readonly subject: string;
    readonly text: string;
    readonly html: string;
    /** The HTML with its picture inside. */
    readonly shown: string;
  };
}

interface SlackPreview {
  readonly text: string;
  readonly blocks: readonly unknown[];
}
