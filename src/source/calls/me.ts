import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { WireId, WireText } from "../list-envelope.ts";

export type SourceMe = z.output<typeof SourceMe>;
export const SourceMe = z
  .object({
    id: WireId,
    username: WireText,
    uiRole: WireText,
    client: z.object({ id: WireId, name: WireText }).nullable().catch(null),
  })
  .transform(({ id, client, ...rest }) => ({
    userId: id,
    ...rest,
    client: client === null ? null : { clientId: client.id, name: client.name },
  }));

export const me = defineCall({
  name: "me",
  path: () => "/me",
  read: (json): SourceMe => SourceMe.parse(json),
});
