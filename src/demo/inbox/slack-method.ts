export type SlackAnswer = { ok: true; [field: string]: unknown } | { ok: false; error: string };

/** A method of Slack's Web API: what it does with the fields of a call. Refusals are Slack's own codes. */
export type SlackMethod = (fields: Readonly<Record<string, string>>) => Promise<SlackAnswer>;
