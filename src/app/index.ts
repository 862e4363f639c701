// The door: what other rooms use of the wiring, a line for each file. Code stands behind it.

export { type Config, loadConfig } from "./config/config.ts";
export { findConcerns } from "./config/find-concerns.ts";
export { configJsonSchema } from "./config/json-schema.ts";
export { LISTENING } from "./config/own-source.ts";
export { unknownNamesIn } from "./config/unknown-names-in.ts";
export {
  CONSOLE_FLAG,
  type ConsoleNews,
  type ConsoleOrder,
  type ConsoleProcess,
  startConsoleProcess,
} from "./console-process.ts";
export { DEMO_SPEED, type Demo, startDemo } from "./demo/demo.ts";
export { type DemoConsoleOrder, openShownDemo, type ShownDemo } from "./demo/demo-console.ts";
export { doctor } from "./doctor/doctor.ts";
export type { Finding } from "./doctor/finding.ts";
export { receiverNamed, sendTest, type TestOutcome } from "./doctor/send-test.ts";
export { type Engines, openEngines } from "./engines.ts";
export { type ForgetCounts, type ForgetParts, findToForget, forget } from "./forget.ts";
export { type JoinedProcess, joinProcesses } from "./join-processes.ts";
export { keepConsole } from "./keep-console.ts";
export { openDemoDatabase, refuseDemoData } from "./local/demo-database.ts";
export { offlineConfig } from "./local/local-parts.ts";
export { withLocalInbox } from "./local/open-local-inbox.ts";
export { type LocalTables, openLocalTables } from "./local/open-local-tables.ts";
export { noteRuleTests } from "./note-rule-tests.ts";
export { type OpenAlertActions, openAlertActions } from "./open-alert-actions.ts";
export { openAlertContents } from "./open-alert-contents.ts";
export { type OpenBacktest, openBacktest } from "./open-backtest.ts";
export { openPage, type Page } from "./open-console.ts";
export { withListening } from "./open-listening.ts";
export { openPostgres, openScratchPostgres } from "./open-postgres.ts";
export { openSetupView } from "./open-setup-view.ts";
export { type LoadedFiles, loadFiles } from "./reload/load-files.ts";
export { followReloads, listenForHangUps, type Reloadable, requestReload } from "./reload/reload.ts";
export { type ReplayProgress, type ReplaySpeed, startReplay } from "./replay/replay.ts";
export type { ReplayReport } from "./replay/report.ts";
export { chooseFeeds, proposeFeeds } from "./setup/choose-feeds.ts";
export { refuseVariables, rulesFolderOf, type SetupAnswers, type SetupDraft } from "./setup/draft-setup.ts";
export { floodingQueries, tryFeeds } from "./setup/try-feeds.ts";
export { draftChecked, inTheWay, type SecretFile, schemaLinesFor, writeSetup } from "./setup/write-setup.ts";
export { openShellBudget } from "./shell-budget.ts";
export { aborted, InterruptedError, leave, stopSignal, unlessStopped } from "./stop-signal.ts";
