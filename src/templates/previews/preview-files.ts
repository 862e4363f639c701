import type { MessagePreview } from "../../notify/preview-message.ts";
import type { Picture } from "./take-pictures.ts";

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
