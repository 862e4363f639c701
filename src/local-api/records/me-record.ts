import type { Caller } from "../store/callers.ts";
import { clientRecord } from "./client-record.ts";
import { wireTime } from "./wire-time.ts";

/** User and client in one. The spec leaves the shape of the two links open. */
export function meRecord({ user, client, role }: Caller) {
  const { theme, parentId, userInactivityTimeoutMinutes, startDate } = clientRecord(client, "");
  return {
    id: user.id,
    username: user.username,
    uiRole: role,
    firstName: user.firstName,
    lastName: user.lastName,
    tags: {},
    client: {
      id: client.id,
      name: client.name,
      theme,
      parentId,
      userInactivityTimeoutMinutes,
      priceStructureName: "local",
      queryLimit: 1000,
      mentionLimit: -1,
      priceStructureLineCost: 0,
      startDate,
    },
    crmAccount: null,
    passwordExpiryDate: null,
    creationDate: wireTime(user.createdAt),
    links: { user: "/user", logout: "/logout" },
  };
}
