import { isIP, isIPv6 } from "node:net";
import { promisify } from "node:util";
import { type Dispatcher, ProxyAgent } from "undici";
import { publicLookup } from "../../lib/public-agent.ts";
import type { FeedProxy } from "../common/define-feed.ts";

/** How a request goes: what undici is given. */
interface RoutedRequest {
  readonly url: string;
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Proxies that feeds are fetched through, as tunnels (CONNECT), so that a proxy reads nothing of https. It is asked for the
 * address that was checked here, and not for the name: otherwise a name could lead to something inside that only the proxy
 * reaches. Where private addresses are allowed, the proxy looks the name up.
 */
export function createProxies(bounds: {
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
  readonly maxHeaderSize: number;
}) {
  const agents = new Map<string, ProxyAgent>();

  function agentOf({ url, user, password = "" }: FeedProxy): ProxyAgent {
    const key = JSON.stringify([url, user, password]);
    const known = agents.get(key);
    if (known !== undefined) return known;
    const token =
      user === undefined ? {} : { token: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
    const agent = new ProxyAgent({ ...bounds, uri: url, ...token });
    agents.set(key, agent);
    return agent;
  }

  return {
    /** Throws what `publicLookup` throws for names that lead inside. */
    async way(
      proxy: FeedProxy,
      url: string,
      { allowPrivateAddress }: { readonly allowPrivateAddress: boolean },
    ): Promise<RoutedRequest> {
      const dispatcher = agentOf(proxy);
      const target = new URL(url);
      const { host, hostname } = target;
      const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
      if (allowPrivateAddress || isAddress) return { url, dispatcher, headers: {} };
      const address = await lookUp(hostname);
      target.hostname = isIPv6(address) ? `[${address}]` : address;
      // TLS checks the certificate against this name, too.
      return { url: target.href, dispatcher, headers: { host } };
    },
    async close(): Promise<void> {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** An address of the public internet. */
async function lookUp(host: string): Promise<string> {
  const addressOf = promisify((name: string, callback: (error: Error | null, address?: string) => void) =>
    publicLookup(name, {}, (error, address) => callback(error, String(address))),
  );
  return String(await addressOf(host));
}
