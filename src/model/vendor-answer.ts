/**
 * What a vendor said when it took a message, as far as it says anything by which the message is found again there: a
 * mail server's words, a webhook's status, Slack's name of the message. Empty where it said nothing.
 */
export function vendorAnswer(ref: Readonly<Record<string, string>>): string {
  const { answer, status, channel, ts } = ref;
  if (answer !== undefined) return answer;
  if (status !== undefined) return `HTTP ${status}`;
  return channel === undefined || ts === undefined ? "" : `message ${ts} in ${channel}`;
}
