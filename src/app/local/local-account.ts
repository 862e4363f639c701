/** The account of the local Listening API that demo and replay use. It guards generated data on this machine only. */
export const LOCAL_ACCOUNT = {
  username: "monitor@earshot.local",
  password: "local-only",
  clientId: "earshot-api-client",
};

/** What the local Slack is called with, and what signs the presses of its buttons. */
export const LOCAL_SLACK_TOKEN = "xoxb-local";
export const LOCAL_SIGNING_SECRET = "signs-presses-of-the-local-slack";
