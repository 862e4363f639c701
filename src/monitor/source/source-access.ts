import { FEEDS_PREFIX } from "../model/query.ts";
import type { SourceClientOptions } from "./source-client.ts";
import type { Source, SourceConfig } from "./source-config.ts";

/** Whose budget it is: every user of one client shares it, and a login may belong to several clients. */
export function accountOf({
  username,
  baseUrl,
  platformClientId,
}: Pick<SourceConfig, "username" | "baseUrl"> & { readonly platformClientId?: string | undefined }): string {
  return `${platformClientId === undefined ? username : `client ${platformClientId}`} at ${baseUrl}`;
}

/** How a client reaches this source, and names what is there. */
export function accessTo(
  source: Source,
): Pick<SourceClientOptions, "baseUrl" | "credentials" | "timeoutMs" | "prefix"> {
  const { name, baseUrl, username, password, clientId, platformClientId, timeout } = source;
  return {
    baseUrl,
    credentials: { username, password, clientId, platformClientId },
    timeoutMs: timeout,
    prefix: name === "feeds" ? FEEDS_PREFIX : undefined,
  };
}
