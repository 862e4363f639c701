/** How `renderSlackMessage` looks; for a stylesheet of a page, light and dark. */
export const slackMessageCss = `
.slack-message { font: 15px/1.46 Lato, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; color: #1d1c1d; overflow-wrap: anywhere; }
.slack-message p { margin: 4px 0; }
.slack-header { margin: 4px 0 6px; font-size: 18px; line-height: 1.3; font-weight: 800; }
.slack-context { font-size: 13px; color: #616061; }
.slack-rich-text { margin: 10px 0; }
.slack-quote { display: block; margin: 3px 0; padding-left: 12px; border-left: 4px solid #dddddd; }
.slack-pre { margin: 4px 0; padding: 8px; border: 1px solid #dddddd; border-radius: 4px; white-space: pre-wrap; font-size: 12px; }
.slack-actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; }
.slack-button { display: inline-block; padding: 6px 12px; border: 1px solid #bbbabb; border-radius: 8px; font-weight: 700; font-size: 14px; color: inherit; text-decoration: none; }
.slack-divider { border: 0; border-top: 1px solid #dddddd; }
.slack-mention { padding: 0 2px; border-radius: 3px; background: #f8e3a1; color: #7a4b00; }
.slack-message a:not(.slack-button) { color: #1264a3; }
@media (prefers-color-scheme: dark) {
  .slack-message { color: #d1d2d3; }
  .slack-context { color: #ababad; }
  .slack-quote, .slack-pre, .slack-divider { border-color: #565856; }
  .slack-button { border-color: #797c81; }
  .slack-message a:not(.slack-button) { color: #4ba3e3; }
  .slack-mention { background: #4a3a10; color: #f8e3a1; }
}
`;
