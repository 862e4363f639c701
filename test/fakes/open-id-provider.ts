import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export interface OpenIdProvider {
  readonly issuer: string;
  /** Who may log in there, by the name that they type; a test changes them as it goes. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** Registers the one client, once its address is known. */
  serve(redirectUri: string): void;
  /** Goes through its forms as this person, from the address to which a login sends the browser. */
  logIn(address: string, person: string): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = { clientId: "earshot", clientSecret: "a secret of the client" };

/** A real provider of OpenID Connect, the library `oidc-provider`, on this machine. */
export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  let listener: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people: OpenIdProvider["people"] = new Map();
  return {
    issuer,
    people,
    serve: (redirectUri) => {
      const provider = new Provider(issuer, {
        clients: [
          {
            ...{
              client_id: CLIENT.clientId,
              client_secret: CLIENT.clientSecret,
              redirect_uris: [redirectUri],
            },
            token_endpoint_auth_method: "client_secret_post",
          },
        ],
        claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
        features: { devInteractions: { enabled: true } },
        cookies: { keys: ["of a test"] },
        findAccount: (_: unknown, id: string) =>
          people.has(id) && { accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) },
      });
      listener = provider.callback();
    },
    logIn: async (address, person) => {
      const cookies = new Map<string, string>();
      let at = address;
      let form: URLSearchParams | null = null;
      for (let steps = 0; steps < 12; steps++) {
        if (!at.startsWith(issuer)) return at;
        const answer: Response = await fetch(at, {
          redirect: "manual",
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
          ...(form !== null && { method: "POST", body: form }),
        });
        for (const text of answer.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
          if (value === "") cookies.delete(name);
          else cookies.set(name, value);
        }
        form = null;
        const location = answer.headers.get("location");
        if (location !== null) {
          at = new URL(location, at).href;
          continue;
        }
        const page = await answer.text();
        const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
        if (prompt === "")
          throw new Error(`the provider shows no form: ${answer.status} ${page.slice(0, 300)}`);
        form = new URLSearchParams({ prompt, ...(prompt === "login" && { login: person, password: "x" }) });
        at = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? "", at).href;
      }
      throw new Error("the provider goes in circles");
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
