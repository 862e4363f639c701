import type { StoredClient } from "../store/accounts.ts";
import type { Caller } from "../store/callers.ts";
import { clientRecord } from "./client-record.ts";
import { wireTime } from "./wire-time.ts";

/** User and client in one. The spec leaves the shape of the two links open. */
export function meRecord({ user, client, role }: Caller) {
  return {
    id: user.id,
    username: user.username,
    uiRole: role,
    firstName: user.firstName,
    lastName: user.lastName,
    tags: {},
    client: clientOfMeRecord(client),
    crmAccount: null,
    passwordExpiryDate: null,
    creationDate: wireTime(user.createdAt),
    links: { user: "/user", logout: "/logout" },
  };
}

/** What it shares with the client record is the same there; what it adds may be set in the same way. */
function clientOfMeRecord(client: StoredClient) {
  const { id, name, theme, parentId, userInactivityTimeoutMinutes, startDate } = clientRecord(client, "");
  const { details } = client;
  return {
    id,
    name,
    theme,
    parentId,
    userInactivityTimeoutMinutes,
    priceStructureName: details["priceStructureName"] ?? "local",
    queryLimit: details["queryLimit"] ?? 1000,
    mentionLimit: details["mentionLimit"] ?? -1,
    priceStructureLineCost: details["priceStructureLineCost"] ?? 0,
    startDate,
  };
}
