/** The account of the local Listening API that demo and replay use. It guards generated data on this machine only. */
export const LOCAL_ACCOUNT = {
  username: "monitor@earshot.local",
  password: "local-only",
  clientId: "earshot-api-client",
};
