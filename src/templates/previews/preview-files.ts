import type { MessagePreview } from "../../notify/preview-message.ts";
import type { Picture } from "./take-pictures.ts";

/** A file of a preview: its name and content. */
export interface PreviewFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** `alert-fired.slack.json`, `.subject.txt`, `.html`, `.txt` and `.<look>.png`. */
export function previewFiles(
  stem: string,
  { slack, email }: MessagePreview,
  pictures: readonly Picture[],
): readonly PreviewFile[] {
  return [
    { name: `${stem}.slack.json`, content: `${JSON.stringify(slack, null, 2)}\n` },
    { name: `${stem}.subject.txt`, content: `${email.subject}\n` },
    { name: `${stem}.html`, content: email.html },
    { name: `${stem}.txt`, content: email.text },
    ...pictures.map(({ look, png }) => ({ name: `${stem}.${look}.png`, content: png })),
  ];
}
