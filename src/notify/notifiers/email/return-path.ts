/** Stands in `bouncesTo` for the notification, so that each mail has a return path of its own. */
const ID_PLACE = "{id}";

/**
 * The envelope's sender, where mail servers report what they could not deliver. With `{id}` in it the report says which
 * notification it is about even where it quotes nothing of the mail.
 */
export function returnPath(
  { bouncesTo, from }: { readonly bouncesTo?: string; readonly from: string },
  notificationId: string,
): string {
  return (bouncesTo ?? from).replace(ID_PLACE, notificationId.replaceAll(/[^0-9a-z]/gi, "").toLowerCase());
}

/** The notification that such an address was made for; null for any other address. */
export function notificationIn(address: string): string | null {
  const hex = /(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])/.exec(address.toLowerCase())?.[0];
  return hex === undefined
    ? null
    : [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
