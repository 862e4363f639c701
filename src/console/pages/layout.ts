import { capitalised } from "../../lib/text.ts";
import { withParameter } from "../common/address.ts";
import { type Html, html } from "../common/html.ts";
import { openCount } from "../parts/live.ts";
import type { Page } from "../parts/page.ts";

/** The layout around a page. */
export interface Frame {
  /** The requested address. */
  readonly address: string;
  /** `Tue 14:05 UTC`. */
  readonly clock: string;
  readonly pace: string | null;
  /** Shows a new user what happens next. */
  readonly banner: string | null;
  /** The versions from which the page's stream starts; null if the reader paused it. */
  readonly since: string | null;
  readonly openAlerts: number;
  readonly hasInbox: boolean;
  /** Whether it shows the rules. */
  readonly hasRules: boolean;
  /** Whether it shows digests. */
  readonly hasDigests: boolean;
  /** Whether people can act on alerts here. */
  readonly hasActions: boolean;
  /** Who reads it; null without a login. */
  readonly user: string | null;
  readonly logoutToken: string | null;
  readonly assets: { readonly stylesheet: string; readonly scripts: readonly string[] };
}

export function layout(page: Page, frame: Frame): Html {
  const live = frame.since === null ? null : html` hx-ext="sse" sse-connect="/live?since=${frame.since}"`;
  return html`<!doctype html>
<html lang="en"${live !== null && html` data-live="on"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="${HTMX_CONFIG}">
<title>${page.title} · Earshot</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${frame.assets.stylesheet}">
${[...frame.assets.scripts, ...(page.scripts ?? [])].map((address) => html`<script src="${address}" defer></script>\n`)}</head>
<body${live}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="wide">
<a class="brand" href="/">Earshot</a>
<nav aria-label="Pages"><ul>${entries(frame).map(
    ([href, label]) =>
      html`<li><a href="${href}"${href === page.section && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>
<div class="state">
<span class="clock"><span class="unseen">Time of the monitored world: </span><span sse-swap="clock" hx-swap="innerHTML">${frame.clock}</span></span>
${liveSwitch(frame)}${frame.user !== null && html` <a href="/account" class="account">${frame.user}</a>`}${logout(frame.logoutToken)}</div>
</div></header>
${
  (frame.banner !== null || frame.pace !== null) &&
  html`<aside class="banner" aria-label="What this is">
<p class="wide">${frame.banner}${frame.pace !== null && html` <span class="pace">${sentence(frame.pace)}</span>`}</p>
</aside>`
}
<main id="main" class="wide" tabindex="-1">${page.body}</main>
</body>
</html>
`;
}

/** htmx adds no styles, evaluates no attributes, runs no fetched scripts, and keeps no old pages. */
export const HTMX_CONFIG = JSON.stringify({
  includeIndicatorStyles: false,
  allowEval: false,
  allowScriptTags: false,
  selfRequestsOnly: true,
  historyEnabled: false,
  historyCacheSize: 0,
});

function entries(frame: Frame): readonly (readonly [string, Html])[] {
  return [
    ["/", html`Overview`],
    [
      "/alerts",
      html`Alerts <span aria-live="polite" hx-get="/?part=count" hx-trigger="sse:alerts" hx-swap="innerHTML">${openCount(frame.openAlerts)}</span>`,
    ],
    ["/mentions", html`Mentions`],
    ["/insights", html`Insights`],
    ...(frame.hasRules ? ([["/rules", html`Rules`]] as const) : []),
    ...(frame.hasInbox ? ([["/inbox", html`Inbox`]] as const) : []),
    ...(frame.hasDigests ? ([["/digests", html`Digests`]] as const) : []),
    ["/health", html`Health`],
    ...(frame.hasActions ? ([["/silences", html`Silences`]] as const) : []),
  ];
}

/** Lets a slow reader, or one with a screen reader, pause the updates. Works as a plain link. */
function liveSwitch(frame: Frame): Html {
  const plain = withParameter(frame.address, "part", null);
  return frame.since === null
    ? html`<span class="live is-paused">Paused</span> <a href="${withParameter(plain, "live", null)}">Resume</a>`
    : html`<span class="live is-on" id="live" role="status">Live</span> <a href="${withParameter(plain, "live", "off")}">Pause<span
  class="unseen"> live updates</span></a><noscript><a href="${plain}">Reload</a></noscript>`;
}

function logout(token: string | null): Html | null {
  if (token === null) return null;
  return html`<form method="post" action="/logout"><input type="hidden" name="token" value="${token}"><button type="submit">Log out</button></form>`;
}

function sentence(text: string): string {
  return `${capitalised(text)}.`;
}
