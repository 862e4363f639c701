import type { SlackConfig } from "./slack-config.ts";

/** A Slack app that receives clicks: receivers with the same token share it. */
export type SlackApp = Pick<SlackConfig, "token" | "apiUrl" | "appToken" | "signingSecret">;

/** The apps of these receivers that can receive clicks. A receiver without own credentials uses those of its app. */
export function slackApps(configs: readonly SlackConfig[]): readonly SlackApp[] {
  const apps = new Map<string, SlackApp>();
  for (const { token, apiUrl, appToken, signingSecret } of configs) {
    const known = apps.get(`${apiUrl} ${token}`);
    apps.set(`${apiUrl} ${token}`, {
      token,
      apiUrl,
      ...pick("appToken", appToken ?? known?.appToken),
      ...pick("signingSecret", signingSecret ?? known?.signingSecret),
    });
  }
  return [...apps.values()].filter(
    ({ appToken, signingSecret }) => appToken !== undefined || signingSecret !== undefined,
  );
}

function pick<Name extends string>(name: Name, value: string | undefined): { [N in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]: string });
}
