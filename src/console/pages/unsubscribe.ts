import { PEOPLE, type Subscription } from "#monitor";
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
  // A view has a piece of an id in its name, so that no other is called so.
  const shown = digest.replace(/ #[0-9a-f]{8}$/, "");
  const isUser = receiver === PEOPLE;
  const who = isUser ? "You get" : html`${foreign(receiver)} gets`;
  const gone = isUser ? "You no longer get" : html`${foreign(receiver)} no longer gets`;
  return isSubscribed
    ? html`<h1>Unsubscribe from ${foreign(shown)}?</h1><p>${who} this digest.</p>
<form method="post" action="/unsubscribe/${token}"><button type="submit">Unsubscribe</button></form>`
    : html`<h1>Unsubscribed from ${foreign(shown)}</h1><p>${gone} this digest.</p>
<form method="post" action="/unsubscribe/${token}?undo=yes"><button type="submit">Subscribe again</button></form>`;
}
