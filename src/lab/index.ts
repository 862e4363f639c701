// The door: what other rooms use of the laboratory, a line for each file. Code stands behind it.

export { removeCopies } from "./backtest/api-mentions.ts";
export {
  type Comparison,
  compareSimulations,
  type Difference,
  type RuleContents,
} from "./backtest/compare.ts";
export { type OpenBacktest, openBacktest } from "./backtest/open-backtest.ts";
export { type BacktestReport, labelText, type ReportedReceiver, reportOf } from "./backtest/report.ts";
export { renderReport } from "./backtest/report-html.ts";
export { createSimulation, type SimulationResult } from "./backtest/simulate.ts";
export {
  type Suggestion,
  suggestionOf,
  type Threshold,
  thresholdsOf,
  valuesToTry,
  weaknessOf,
  withThreshold,
} from "./backtest/suggest.ts";
export { type Demo, startDemo, whatHappensNext } from "./demo/demo.ts";
export { type DemoConsoleOrder, openShownDemo } from "./demo/demo-console.ts";
export { openDemoPage } from "./demo/demo-page.ts";
export { createCountsReader } from "./detect/counts-reader.ts";
export { createPictureFiles } from "./detect/picture-files.ts";
export type { PlotLook } from "./detect/series-plot.ts";
export { offlineConfig } from "./local/local-parts.ts";
export {
  type Replay,
  type ReplayOptions,
  type ReplayProgress,
  type ReplaySpeed,
  startReplay,
} from "./replay/replay.ts";
export type { ReplayReport } from "./replay/report.ts";
export { messagePage } from "./rule-tests/message-page.ts";
export { noteRuleTests } from "./rule-tests/note-rule-tests.ts";
export { withPlaceholders } from "./rule-tests/placeholders.ts";
export { formatSeconds, junitXml, reportLines, timeline } from "./rule-tests/report.ts";
export {
  findRuleTests,
  openRuleTestRunner,
  type RuleTestResult,
  type RuleTestRunner,
  type RunOptions,
} from "./rule-tests/rule-test-runner.ts";
export { ruleTestJsonSchema } from "./rule-tests/test-file.ts";
export { openRules } from "./tries/open-rule-view.ts";
export { openTemplateEditor } from "./tries/open-template-view.ts";
export { ruleFilesOf } from "./tries/rule-files.ts";
