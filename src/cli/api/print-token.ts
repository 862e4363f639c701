import type { LoginAnswer } from "../../source/login.ts";
import { formatRecord } from "./format-table.ts";
import { sanitizeJson } from "./sanitize-terminal.ts";

/** What a login gave. The token is a secret: it is shown only to those who ask for JSON, to hand it on. */
export function printToken(answer: LoginAnswer, asJson: boolean, width: number): string {
  const { token, tokenType, expiresInSeconds, scopes } = answer;
  const rest = { token_type: tokenType, expires_in: expiresInSeconds, scope: scopes.join(" ") };
  if (asJson) return `${sanitizeJson({ access_token: token, ...rest }, 2)}\n`;
  return `${formatRecord({ access_token: `received, ${token.length} characters (--json shows it)`, ...rest }, width)}\n`;
}
