// The door: what other rooms use of the local Listening API, a line for each file. Code stands behind it.

export { type AccountFile, readAccountFile, type Thing } from "./account/account-file.ts";
export { accountJsonSchema } from "./account/account-schema.ts";
export { type AccountPlan, applyAccount, planApply } from "./account/apply-account.ts";
export { deleteNamed, editNamed, type NamedEdit, revoke } from "./account/edit-named.ts";
export { exportMentions } from "./account/export-mentions.ts";
export { findProject, pick } from "./account/find-named.ts";
export { type Step, stepsOf } from "./account/plan-account.ts";
export { MOST_ACCOUNT_BYTES, readAccount } from "./account/read-account.ts";
export { createSampleLife, openSampleWorld, type SampleWorld } from "./account/sample.ts";
export { seedAccount } from "./account/seed-account.ts";
export { accountJson, accountYaml, readStoredAccount } from "./account/stored-account.ts";
export type { DeletedItem } from "./arrive/delete-items.ts";
export { rememberForgotten } from "./arrive/forget-requests.ts";
export type { ArrivedItem } from "./arrive/item-versions.ts";
export {
  type ArrivedBatch,
  type Arriving,
  NOTHING,
  type ReceiveResult,
  receiveItems,
  sumOf,
} from "./arrive/receive-items.ts";
export { findForgettable, findSealedAt, undoDeletes } from "./arrive/sealed-items.ts";
export { tombstoneMentions } from "./arrive/tombstone-mentions.ts";
export { type QueryCache, queriesOf } from "./assign/assign-queries.ts";
export { createLocalApi, type LocalApi, type LocalApiOptions } from "./create-local-api.ts";
export { categorizeMention } from "./edit/categorize-mention.ts";
export { editMention, editMentions } from "./edit/edit-mention.ts";
export type { MentionChanges } from "./edit/mention-changes.ts";
export type { LocalApiLog } from "./http/local-api-context.ts";
export { IMPORT_FIELDS } from "./import/csv-columns.ts";
export { type ImportLine, parseImportLine } from "./import/import-line.ts";
export { type ImportOptions, type ImportResult, importMentions } from "./import/import-mentions.ts";
export { type ImportedLabels, importedMention } from "./import/imported-mention.ts";
export { readImportRows } from "./import/read-import-rows.ts";
export { isTopicWord } from "./insights/count-topics.ts";
export { createOperations } from "./operate/create-operations.ts";
export { keepMentions } from "./operate/keep-mentions.ts";
export { createMeter, type Meter } from "./operate/meter.ts";
export { compile } from "./query-language/compile.ts";
export { explainMiss } from "./query-language/explain-miss.ts";
export type { Expression, Term } from "./query-language/expression.ts";
export { conditionsOf } from "./query-language/required-terms.ts";
export { searchableMention } from "./query-language/search-text.ts";
export {
  type CategoryJudgement,
  categoryJudgement,
  withCategoryJudgements,
} from "./records/category-judgement.ts";
export {
  judgeable,
  LOCAL,
  type Relevance,
  sentimentConfidence,
  type TextFacts,
  withRelevance,
  withSentiment,
} from "./records/judgement.ts";
export { type MentionFields, mentionRecord } from "./records/mention-record.ts";
export { textForAnalyser } from "./records/mention-text.ts";
export { PAGE_TYPES, pageTypeOfSite } from "./records/page-types.ts";
export { domainOf, insightsOf } from "./records/text-signs.ts";
export { wireTime } from "./records/wire.ts";
export { createStream, type Stream } from "./simulate/create-stream.ts";
export { CRISIS_LASTS_MS, type Crisis } from "./simulate/crisis.ts";
export { BRANDS } from "./simulate/data.ts";
export { readAnalysedSentiments } from "./store/analysed-sentiments.ts";
export { type Arrivals, followArrivals } from "./store/arrivals.ts";
export { changeRows } from "./store/changes.ts";
export { type CurrentMention, type MentionKey, readCurrentMentions } from "./store/current-mentions.ts";
export { createDatabase, type Database, type DatabasePool } from "./store/database.ts";
export { deleteMentions } from "./store/delete-things.ts";
export {
  askedHash,
  type EnrichmentJob,
  type EnrichmentKind,
  finishEnrichment,
  leaseEnrichment,
  postponeEnrichment,
  pruneEnrichment,
  putAbout,
  putAnswers,
  queueEnrichment,
  queueUnjudged,
  readAbouts,
  readAnswers,
  stillLeased,
  takeCall,
} from "./store/enrichment.ts";
export {
  FAULT_HEADER,
  FAULT_KINDS,
  type FaultKind,
  FaultKindName,
  readFaultAmount,
  unknownFault,
} from "./store/fault-kinds.ts";
export { deleteFaults, insertFault, listFaults, type StoredFault } from "./store/faults.ts";
export { insertMentions } from "./store/insert-mentions.ts";
export {
  claimChecks,
  type DueCheck,
  dueChecks,
  dueNow,
  type ScheduledCheck,
  scheduleChecks,
} from "./store/item-checks.ts";
export { readCorrectedCategories, readJudgedCategories } from "./store/judged-categories.ts";
export { listCategories } from "./store/labels.ts";
export type { MentionVersion } from "./store/mention-version.ts";
export { migrateLocalApi } from "./store/migrate-local-api.ts";
export { migrateSchema } from "./store/migrate-schema.ts";
export type { Migration } from "./store/migrations/migration.ts";
export { listQueries, readQueryVolumes, readRevisionsOf } from "./store/queries.ts";
export { forgetReceivedBefore, receivedQuery } from "./store/received-items.ts";
export { dropOldSeals, listUndoable, type UndoableDelete } from "./store/sealed-items.ts";
export { signingSecret } from "./store/settings.ts";
export { forgetUnseenDeletes } from "./store/unseen-deletes.ts";
export { beginWriting, projectsOfQueries } from "./store/write-order.ts";
