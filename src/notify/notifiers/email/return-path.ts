/** In `bouncesTo` it is replaced by the notification's id, so that each mail has its own return path. */
const ID_PLACE = "{id}";

/**
 * The envelope's sender, to which mail servers report failures. With `{id}` the report names its notification even if
 * it quotes nothing of the mail.
 */
export function returnPath(
  { bouncesTo, from }: { readonly bouncesTo?: string; readonly from: string },
  notificationId: string,
): string {
  return (bouncesTo ?? from).replace(ID_PLACE, notificationId.replaceAll(/[^0-9a-z]/gi, "").toLowerCase());
}

/** The notification id in such an address; null for any other address. */
export function notificationIn(address: string): string | null {
  const hex = /(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])/.exec(address.toLowerCase())?.[0];
  return hex === undefined
    ? null
    : [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
