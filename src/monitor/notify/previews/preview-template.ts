import type { Renderer } from "../../templates/create-renderer.ts";
import { sampleViews } from "../../templates/samples.ts";
import type { TemplateName } from "../../templates/template-names.ts";
import type { MessageContent } from "../define-notifier.ts";
import type { MessagePreview } from "../preview-message.ts";
import type { Picture } from "./take-pictures.ts";

/** The content of a message, and its picture as SVG if it has one, in a light and a dark version. */
export type PreviewContent = MessageContent & {
  readonly picture?: { readonly light: string; readonly dark: string } | null;
};

/** Renders one template with the content of a message: `email-alert-fired.txt`, or `.html` for that format. */
export function previewTemplate(
  name: TemplateName,
  { view }: PreviewContent,
  of: string,
  renderer: Renderer,
): PreviewFile {
  const [stem = name, format = "txt"] = name.replace("/", "-").split(".");
  return {
    name: `${stem}-${of}.${format === "html" ? "html" : "txt"}`,
    content: renderer.render(name, viewFor(name, view)),
  };
}

/** A template of one mention takes the first of the message. */
function viewFor(name: TemplateName, view: PreviewContent["view"]): object {
  if (!name.startsWith("slack/alert-mention")) return view;
  const [first] = "mentions" in view ? view.mentions : [];
  return first ?? sampleViews(name)[0] ?? {};
}

/** A file of a preview: its name and content. */
export interface PreviewFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** Of the mail `alert-fired.subject.txt`, `.html`, `.txt` and `.<look>.png`; of others `alert-fired.slack.json`. */
export function previewFiles(
  stem: string,
  { email, ...others }: MessagePreview,
  pictures: readonly Picture[],
): readonly PreviewFile[] {
  return [
    ...Object.entries(others).map(([kind, shown]) => ({
      name: `${stem}.${kind}.json`,
      content: `${JSON.stringify(shown, null, 2)}\n`,
    })),
    { name: `${stem}.subject.txt`, content: `${email.subject}\n` },
    { name: `${stem}.html`, content: email.html },
    { name: `${stem}.txt`, content: email.text },
    ...pictures.map(({ look, png }) => ({ name: `${stem}.${look}.png`, content: png })),
  ];
}
