import type { StoredClient } from "../store/accounts.ts";
import { wireTime } from "./wire-time.ts";

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
