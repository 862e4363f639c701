// The door: what other rooms use of the administration, a line for each file. Code stands behind it.

export { type Config, loadConfig, parseConfig } from "./config/config.ts";
export { type Environment, readEnvironment } from "./config/environment.ts";
export { findConcerns } from "./config/find-concerns.ts";
export { configJsonSchema } from "./config/json-schema.ts";
export { loadSourceConfig, partsOf } from "./config/load-source-config.ts";
export { LISTENING, LISTENING_PORT } from "./config/own-source.ts";
export { readConfig } from "./config/read-config.ts";
export { unknownNamesIn } from "./config/unknown-names-in.ts";
export { doctor } from "./doctor/doctor.ts";
export type { Finding } from "./doctor/finding.ts";
export { receiverNamed, sendTest, type TestOutcome } from "./doctor/send-test.ts";
export { type ForgetCounts, type ForgetParts, findToForget, forget } from "./forget.ts";
export { leaveLocalAddress, readLocalAddress, sourcesInReach, timeHere } from "./local-address.ts";
export { type LocalTables, openLocalTables } from "./local-tables.ts";
export { openDemoDatabase, refuseDemoData } from "./open/demo-database.ts";
export { type OpenAlertActions, openAlertActions } from "./open/open-alert-actions.ts";
export { openAlertContents } from "./open/open-alert-contents.ts";
export { type Engines, openEngines } from "./open/open-engines.ts";
export { openPostgres, openScratchPostgres } from "./open/open-postgres.ts";
export { openShellBudget } from "./open/shell-budget.ts";
export { listenForHangUps } from "./reload/hang-ups.ts";
export { joinProcesses } from "./reload/join-processes.ts";
export { type LoadedFiles, loadFiles } from "./reload/load-files.ts";
export { followReloads } from "./reload/reload.ts";
export type { Reloadable } from "./reload/reloads.ts";
export { reloadSaved, requestReload } from "./reload/request-reload.ts";
export { chooseFeeds, proposeFeeds } from "./setup/choose-feeds.ts";
export { leaveOut, sensesIn, whyNoSenses } from "./setup/choose-senses.ts";
export { rulesFolderOf, type SetupAnswers, type SetupDraft } from "./setup/draft-setup.ts";
export { openSetupView } from "./setup/open-setup-view.ts";
export {
  readAnswers,
  readContact,
  readLanguages,
  readSpellings,
  SETUP_QUESTIONS,
  type TypedSetup,
} from "./setup/read-answers.ts";
export { isSlackToken, slackReceiver, slackSecret, webhookReceiver } from "./setup/setup-receivers.ts";
export { floodingQueries, listenOf, tryFeeds } from "./setup/try-feeds.ts";
export {
  draftChecked,
  inTheWay,
  type SecretFile,
  type SetupSchema,
  schemaLinesFor,
  writeSetup,
} from "./setup/write-setup.ts";
export { usersOfFile } from "./users-of-file.ts";
