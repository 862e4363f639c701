import { wireTime } from "../records/wire.ts";
import type { StoredClient } from "../store/accounts.ts";
import type { Caller } from "../store/callers.ts";

/** The whole client record. Fields that were never set (see `details`) are empty, zero or the spec's "none". */
export function clientRecord(client: StoredClient, owner: string) {
  const record = {
    id: client.id,
    name: client.name,
    parentId: -1,
    startDate: wireTime(client.createdAt),
    expiryDate: null,
    website: "",
    address1: "",
    address2: "",
    address3: "",
    country: "",
    postcode: "",
    contactName: "",
    contactEmail: "",
    contactTitle: "",
    contactTelephone: "",
    contactMobile: "",
    mentionArchiveSize: 0,
    tags: client.tags,
    maximumSubscribedBrands: 1000,
    pricingModel: "local",
    priceStructureId: 0,
    priceStructureLineId: 0,
    maxUsers: 1000,
    theme: "default",
    owner,
    isLegacy: false,
    mentionBasedPricingMatrixLevel: 0,
    userInactivityTimeoutMinutes: 0,
    pitchClient: false,
    shardName: "local",
  };
  const set = Object.entries(client.details).filter(([field]) => Object.hasOwn(record, field));
  return { ...record, ...Object.fromEntries(set), id: client.id, name: client.name, tags: client.tags };
}

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

/** What /user says, to which /me links. The spec leaves it open. */
export function userRecord({ user, client, role }: Caller) {
  return {
    id: user.id,
    username: user.username,
    uiRole: role,
    firstName: user.firstName,
    lastName: user.lastName,
    clientId: client.id,
    creationDate: wireTime(user.createdAt),
  };
}
