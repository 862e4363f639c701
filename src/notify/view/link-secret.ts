import { randomBytes } from "node:crypto";
import type { Stores } from "../../store/stores.ts";

/** What signs links and forms: made once for an installation, the same for every process of it. */
export async function linkSecret(stores: Pick<Stores, "settings">): Promise<string> {
  const secret = await stores.settings.getOrPut("link-secret", randomBytes(32).toString("base64url"));
  return String(secret);
}
