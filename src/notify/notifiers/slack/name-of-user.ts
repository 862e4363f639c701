import { createClient } from "./connect.ts";
import type { SlackConfig } from "./slack-config.ts";

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
