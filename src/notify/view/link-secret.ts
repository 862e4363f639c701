import { randomBytes } from "node:crypto";
import type { Stores } from "../../store/stores.ts";

/** Signs links and forms: made once per installation, shared by all its processes. */
export async function linkSecret(stores: Pick<Stores, "settings">): Promise<string> {
  const secret = await stores.settings.getOrPut("link-secret", randomBytes(32).toString("base64url"));
  return String(secret);
}
