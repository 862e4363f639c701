import type { Subscription } from "#monitor";
import { type Html, html } from "../common/html.ts";
import { foreign } from "../parts/words.ts";
import { barePage } from "./bare-page.ts";

/** For readers of a mail, who have no login: it shows only their own subscription. */
export function unsubscribePage(token: string, subscription: Subscription | null): Html {
  return barePage("Subscription", subscription === null ? unknown() : subscribedSection(token, subscription));
}

function unknown(): Html {
  return html`<h1>This link is not known</h1><p>A mail program may have cut it. Copy it from the mail again, or ask the person who runs Earshot.</p>`;
}

function subscribedSection(token: string, { digest, receiver, isSubscribed }: Subscription): Html {
  return isSubscribed
    ? html`<h1>Unsubscribe from ${foreign(digest)}?</h1><p>${foreign(receiver)} gets this digest.</p>
<form method="post" action="/unsubscribe/${token}"><button type="submit">Unsubscribe</button></form>`
    : html`<h1>Unsubscribed from ${foreign(digest)}</h1><p>${foreign(receiver)} no longer gets this digest.</p>
<form method="post" action="/unsubscribe/${token}?undo=yes"><button type="submit">Subscribe again</button></form>`;
}
