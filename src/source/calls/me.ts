import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { WireId, WireInstant, WireNumber, WireText } from "../list-envelope.ts";

const WireMeClient = z.object({
  id: WireId,
  name: WireText,
  /** -1: no limit. */
  queryLimit: WireNumber,
  mentionLimit: WireNumber,
});

export type SourceMe = z.output<typeof SourceMe>;
export const SourceMe = z
  .object({
    id: WireId,
    username: WireText,
    /** Only Regular and Admin may use the API. */
    uiRole: WireText,
    firstName: WireText,
    lastName: WireText,
    creationDate: WireInstant,
    passwordExpiryDate: WireInstant,
    client: WireMeClient.nullable().catch(null),
  })
  .transform(({ id, client, creationDate, passwordExpiryDate, ...rest }) => ({
    userId: id,
    ...rest,
    createdAt: creationDate,
    passwordExpiresAt: passwordExpiryDate,
    client: client === null ? null : toClient(client),
  }));

function toClient({ id, ...rest }: z.output<typeof WireMeClient>) {
  return { clientId: id, ...rest };
}

export const me = defineCall({
  name: "me",
  read: (json): SourceMe => SourceMe.parse(json),
});
