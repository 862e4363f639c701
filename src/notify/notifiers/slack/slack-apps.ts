import type { SlackConfig } from "./slack-config.ts";

/** A Slack app that receives clicks: receivers with the same token share it. */
export type SlackApp = Pick<SlackConfig, "token" | "apiUrl" | "appToken" | "signingSecret">;

/** The apps of those in Slack that can receive clicks. A receiver without own credentials uses those of its app. */
export function slackApps(notifiers: readonly { readonly kind: string }[]): readonly SlackApp[] {
  const apps = new Map<string, SlackApp>();
  for (const { token, apiUrl, appToken, signingSecret } of notifiers.filter(isSlack)) {
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

function isSlack(notifier: { readonly kind: string }): notifier is SlackConfig {
  return notifier.kind === "slack";
}

function pick<Name extends string>(name: Name, value: string | undefined): { [N in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]: string });
}
