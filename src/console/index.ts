// The door: what other rooms use of the console, a line for each file. Code stands behind it.

export { addToken } from "./auth/access-tokens.ts";
export { invite, LONGEST_INVITATION_MS } from "./auth/invitations.ts";
export {
  addUser,
  changeUser,
  inventPassword,
  type ManagedUser,
  type UserChange,
} from "./auth/manage-users.ts";
export type { ListedRule, RuleToSave, RuleView, RuleWords, SavedFile } from "./common/rule-view.ts";
export type { SetupForm, SetupSlack, SetupView } from "./common/setup-view.ts";
export type { TemplateView } from "./common/template-view.ts";
export {
  CONSOLE_FLAG,
  type ConsoleNews,
  type ConsoleProcess,
  startConsoleProcess,
} from "./console-process.ts";
export { createLocalInbox, type LocalInbox } from "./inbox/create-local-inbox.ts";
export type { InboxFile, InboxMessage, InboxStore } from "./inbox/inbox-store.ts";
export {
  DEMO_CLIENT,
  inventLocalSecrets,
  LOCAL_ACCOUNT,
  LOCAL_PEOPLE,
  type LocalSecrets,
} from "./inbox/local-account.ts";
export { usesLocalInbox, withLocalReceivers } from "./inbox/local-receivers.ts";
export { openLocalInbox, withLocalInbox } from "./inbox/open-local-inbox.ts";
export { renderSlackMessage } from "./inbox/render-slack-message.ts";
export { keepConsole } from "./keep-console.ts";
export { expectFreePort, openPage, type PageOptions } from "./open-console.ts";
