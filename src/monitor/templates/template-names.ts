/**
 * Every template that code uses, as `<kind>/<what>[-part].<format>`. A folder of templates is complete if it has all of
 * them; its other files are partials, which templates include by the same kind of name.
 */
export const TEMPLATE_NAMES = [
  "slack/alert-headline.header",
  "slack/alert-fallback.mrkdwn",
  "slack/alert-about.mrkdwn",
  "slack/alert-size.mrkdwn",
  "slack/alert-handling.mrkdwn",
  "slack/alert-sure.mrkdwn",
  "slack/alert-reply.mrkdwn",
  "slack/alert-details.mrkdwn",
  "slack/alert-mention.header",
  "slack/alert-foot.mrkdwn",
  "slack/digest-headline.header",
  "slack/digest-fallback.mrkdwn",
  "slack/digest-summary.mrkdwn",
  "slack/digest-incidents.mrkdwn",
  "slack/digest-alerts.mrkdwn",
  "slack/digest-unneeded.mrkdwn",
  "slack/digest-foot.mrkdwn",
  "email/alert-subject.header",
  "email/alert.html",
  "email/alert.txt",
  "email/digest-subject.header",
  "email/digest.html",
  "email/digest.txt",
] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];
