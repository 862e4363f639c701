/** Previews of messages, made by the same code that sends them. */
export interface PreviewView {
  readonly samples: readonly { readonly about: "alert" | "digest"; readonly name: string }[];
  ofSample(about: "alert" | "digest", name: string | null): PreviewMessage | null;
  /** A stored alert as it would be sent now; null if it is not stored. */
  ofAlert(id: string): Promise<PreviewMessage | null>;
  /** Names of all templates. */
  readonly templates: readonly string[];
  /** One template with a sample or an alert; null if the template does not exist. */
  ofTemplate(
    name: string,
    over: { readonly sample: string | null; readonly alert: string | null },
  ): Promise<TemplatePreview | null>;
  /** Blocks as escaped HTML. */
  renderSlack(blocks: readonly unknown[], fallback: string): string;
}

export interface TemplatePreview {
  readonly text: string;
  /** Whether it is a part of a mail, to be shown in a frame. */
  readonly isHtml: boolean;
}

export interface PreviewMessage {
  readonly slack: SlackPreview & { readonly thread: readonly SlackPreview[] };
  readonly email: {
    readonly subject: string;
    readonly text: string;
    readonly html: string;
    /** The HTML with its picture embedded. */
    readonly shown: string;
  };
  /** Other kinds of receivers, as JSON. */
  readonly [kind: string]: object;
}

interface SlackPreview {
  readonly text: string;
  readonly blocks: readonly unknown[];
}
