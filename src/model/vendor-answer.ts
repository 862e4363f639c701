/**
 * The part of a vendor's answer by which the message is found there: a mail server's text, a webhook's status, Slack's
 * id of the message. Empty if there is none.
 */
export function vendorAnswer(ref: Readonly<Record<string, string>>): string {
  const { answer, status, channel, ts } = ref;
  if (answer !== undefined) return answer;
  if (status !== undefined) return `HTTP ${status}`;
  return channel === undefined || ts === undefined ? "" : `message ${ts} in ${channel}`;
}
