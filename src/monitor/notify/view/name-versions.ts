import { createHmac } from "node:crypto";
import type { Stores } from "../../store/stores.ts";
import { linkSecret } from "./signed-links.ts";

/**
 * The version of a digest, as people see it. It cannot be computed without the secret of the installation, so that
 * nobody tries passwords against it.
 */
export async function versionsIn(stores: Pick<Stores, "settings">): Promise<(digest: string) => string> {
  const secret = await linkSecret(stores);
  return (digest) =>
    createHmac("sha256", secret).update(`configuration ${digest}`).digest("hex").slice(0, 10);
}
