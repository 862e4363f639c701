import { demand, demandEqual } from "../demand.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { demandShape } from "../shape.ts";
import { type Answer, isJson, type Subject } from "../subject.ts";

const TOKEN = "Resources: token response";
const AUTH = "Authentication";

export const authentication: Part = {
  name: "Token and authentication",
  rows: [
    row(TOKEN, "the token response has access_token, token_type, expires_in and scope", async (subject) => {
      const { status, body } = await subject.logIn(subject.options);
      demandEqual(status, 200, "status");
      demandShape(
        body,
        { access_token: "string", token_type: "string", expires_in: "integer", scope: "string" },
        "the token response",
      );
    }),
    row(TOKEN, "token_type is bearer", async (subject) => {
      demandEqual((await login(subject))["token_type"], "bearer", "token_type");
    }),
    row(TOKEN, "scope holds read, trust and write", async (subject) => {
      const scopes = String((await login(subject))["scope"]).split(" ");
      for (const scope of ["read", "trust", "write"]) demand(scopes.includes(scope), `${scope} is missing`);
    }),
    row("Limits: token lifetime", "a token lives for a year", async (subject) => {
      const seconds = Number((await login(subject))["expires_in"]);
      demand(Math.abs(seconds - 365 * 86_400) <= 2 * 86_400, `it lives ${seconds} seconds`);
    }),
    row(`${AUTH} 3`, "the token is taken in the header", async (subject) => {
      demandSpeaksFor(subject.options.username, await subject.get("/me"));
    }),
    row(`${AUTH} 3`, "the token is taken as the parameter access_token", async (subject) => {
      const parameters = [["access_token", await subject.token()]] as const;
      demandSpeaksFor(
        subject.options.username,
        await subject.send("GET", "/me", { parameters, token: null }),
      );
    }),
    row("Endpoints", "every call but the token needs one", async (subject) => {
      const { id } = await subject.project();
      for (const path of ["/me", "/client", "/projects/summary", `/projects/${id}/queries/summary`]) {
        demandEqual(
          (await subject.send("GET", path, { token: null })).status,
          401,
          `${path} without a token`,
        );
        demandEqual(
          (await subject.send("GET", path, { token: "nobody" })).status,
          401,
          `${path} with a wrong one`,
        );
      }
    }),
    row(
      "practice §2",
      "a missing or wrong token is answered with error and error_description",
      async (subject) => {
        for (const token of [null, "nobody"]) {
          const { body } = await subject.send("GET", "/me", { token });
          demandShape(body, { error: "string", error_description: "string" }, "the body of the 401");
        }
      },
    ),
    ...["username", "grant_type", "client_id", "password"].map((name) =>
      row(
        "Endpoints: token",
        `${name} is required`,
        async (subject) => demandRefused(await subject.logIn(subject.options, [name])),
        "guesses",
      ),
    ),
    row(
      "Endpoints: token",
      "no other grant_type than api-password logs in",
      async (subject) => demandRefused(await subject.logIn(subject.options, [], { grant_type: "password" })),
      "guesses",
    ),
    row(
      `${AUTH} 1`,
      "a wrong password and an unknown login are refused alike",
      async (subject) => {
        const wrong = await subject.logIn({ ...subject.options, password: "wrong" });
        const unknown = await subject.logIn({ username: "nobody@nowhere.example", password: "wrong" });
        demandRefused(wrong);
        demandEqual([unknown.status, unknown.text], [wrong.status, wrong.text], "an unknown login");
      },
      "guesses",
    ),
    row(
      `${AUTH} 4`,
      "a Regular user may use the API",
      async (subject) => {
        const { accounts } = subject.options;
        if (accounts === undefined) return notApplicable("no such login");
        const { body } = await subject.logIn(accounts.regular);
        const token = isJson(body) ? String(body["access_token"]) : "";
        return demandSpeaksFor(accounts.regular.username, await subject.send("GET", "/me", { token }));
      },
      "accounts",
    ),
    row(
      `${AUTH} 4`,
      "a user with another role than Regular or Admin may not",
      async (subject) => {
        const { accounts } = subject.options;
        if (accounts === undefined) return notApplicable("no such login");
        return demandRefused(await subject.logIn(accounts.withoutApi));
      },
      "accounts",
    ),
    row(
      `${AUTH} 5`,
      "a login of several clients needs platform_client_id, and is then logged in to that client",
      async (subject) => {
        const several = subject.options.accounts?.several;
        if (several === undefined) return notApplicable("no such login");
        demandRefused(await subject.logIn(several));
        for (const clientId of several.clientIds) {
          const { body } = await subject.logIn({ ...several, platformClientId: String(clientId) });
          const token = isJson(body) ? String(body["access_token"]) : "";
          const client = await subject.send("GET", "/client", { token });
          demand(
            isJson(client.body) && client.body["id"] === clientId,
            `${clientId} is not the client of the token`,
          );
        }
        return undefined;
      },
      "accounts",
    ),
    row(
      `${AUTH} 5`,
      "a client that the login does not belong to is refused",
      async (subject) => {
        const several = subject.options.accounts?.several;
        if (several === undefined) return notApplicable("no such login");
        return demandRefused(await subject.logIn({ ...several, platformClientId: "1" }));
      },
      "accounts",
    ),
  ],
};

async function login(subject: Subject) {
  const { body } = await subject.logIn(subject.options);
  demand(isJson(body), "the token response is no JSON object");
  return body;
}

function demandSpeaksFor(username: string, { status, body }: Answer): void {
  demandEqual(status, 200, "status");
  demand(isJson(body) && body["username"] === username, `the answer does not speak of ${username}`);
}

function demandRefused({ status, text }: { status: number; text: string }): void {
  demand(status >= 400 && status < 500, `expected a refusal, got ${status}`);
  demand(!text.includes("access_token"), "the refusal brings a token");
}
