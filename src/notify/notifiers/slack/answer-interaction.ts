import { escapeValue } from "../../../templates/escape.ts";
import { createClient } from "./connect.ts";
import type { SlackConfig } from "./slack-config.ts";

/** Shows one person, and nobody else, the result of their click. Failures are only logged: the action is done. */
export async function answerInteraction(
  responseUrl: string,
  text: string,
  { apiUrl }: Pick<SlackConfig, "apiUrl">,
): Promise<"answered" | "not-answered"> {
  if (!leadsToSlack(responseUrl, apiUrl)) return "not-answered";
  // It may contain names that people chose for themselves.
  const safe = escapeValue(text, "mrkdwn");
  const body = JSON.stringify({ response_type: "ephemeral", replace_original: false, text: safe });
  try {
    const answer = await fetch(responseUrl, {
      method: "POST",
      body,
      headers: { "content-type": "application/json; charset=utf-8" },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.arrayBuffer();
    return answer.ok ? "answered" : "not-answered";
  } catch {
    return "not-answered";
  }
}

/** The address came in a request: it may lead to Slack only, never into our own network. */
function leadsToSlack(url: string, apiUrl: string): boolean {
  const { protocol, hostname, origin } = new URL(url);
  if (origin === new URL(apiUrl).origin) return true;
  return protocol === "https:" && (hostname === "hooks.slack.com" || hostname === "hooks.slack-gov.com");
}

const TIMEOUT_MS = 5_000;

/** The name of a person in the workspace; their id if Slack does not answer, so that nothing waits for it. */
export async function nameOfUser(
  userId: string,
  { token, apiUrl }: Pick<SlackConfig, "token" | "apiUrl">,
): Promise<string> {
  try {
    const { user } = await createClient(token, apiUrl, AbortSignal.timeout(PATIENCE_MS)).users.info({
      user: userId,
    });
    return user?.profile?.display_name || user?.real_name || user?.name || userId;
  } catch {
    return userId;
  }
}

const PATIENCE_MS = 1_500;
