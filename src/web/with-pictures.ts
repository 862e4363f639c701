import type { EmailMessage, InboxView } from "./inbox-view.ts";

/** Embeds a mail's pictures in its HTML, because the frame that shows it may load nothing. */
export async function withPictures(
  html: string,
  pictures: NonNullable<EmailMessage["pictures"]>,
  findFile: InboxView["findFile"],
): Promise<string> {
  const addresses = new Map<string, string>();
  for (const { cid, file } of pictures) {
    const found = await findFile(file);
    if (found?.type !== "image/png") continue;
    addresses.set(cid, `data:image/png;base64,${Buffer.from(found.bytes).toString("base64")}`);
  }
  // Only in picture attributes; in text, the reference stays text.
  return html.replaceAll(/(\ssrc=")cid:([^"]{1,256})"/g, (whole, before: string, cid: string) => {
    const address = addresses.get(cid);
    return address === undefined ? whole : `${before}${address}"`;
  });
}
