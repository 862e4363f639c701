// The door: what other rooms use of the monitor, a line for each file. Code stands behind it.

export { createAlertActions, matchOfAlert } from "./alerts/actions/alert-actions.ts";
export { newestOf, writeNote } from "./alerts/actions/write-note.ts";
export {
  type AlertNames,
  refuseUnknownNames,
  unknownName,
  unknownNamesInMatch,
} from "./alerts/unknown-names.ts";
export { countTicks, formatTick } from "./charts/chart-frame.ts";
export { escapeXml } from "./charts/draw-head.ts";
export { drawSpikeChart } from "./charts/draw-spike-chart.ts";
export { createPngRenderer, type PngRenderer } from "./charts/png-renderer.ts";
export type { ChartColumn, ChartSpan, Theme } from "./charts/spike-chart.ts";
export { DigestConfig } from "./digest/digest-config.ts";
export { digestClashes } from "./digest/planned-digest.ts";
export { summarizeUnneeded } from "./digest/unneeded.ts";
export { readMailedView } from "./digest/view-digests.ts";
export {
  askEach,
  type TextVerdict,
  type UnreadMention,
  whyText,
  whyUnreadMention,
} from "./explain/ask-source.ts";
export { type AlertWhy, type MentionWhy, type WhyParts, whyAlert, whyMention } from "./explain/why.ts";
export type { RuleObservation } from "./explain/why-rules.ts";
export { checkClock } from "./health/checks/check-clock.ts";
export { HEARTBEAT_KEY, HeartbeatConfig, type HeartbeatState } from "./health/heartbeat.ts";
export { createNotifyConfig } from "./health/notify-config.ts";
export { OperatorConfig } from "./health/operators.ts";
export { asOne, queryNamesOf } from "./incidents/cause.ts";
export { calmFrom } from "./incidents/incident-life.ts";
export { isSmall } from "./incidents/join.ts";
export { type AlertObservation, applyObservations, callsOf, endings } from "./ingest/apply-observations.ts";
export { type AssessedMention, createAssessor, seriesOf, storyOfMention } from "./ingest/assess-mention.ts";
export {
  countDistinctAuthors,
  type DistinctAuthorChange,
  distinctAuthorKey,
} from "./ingest/count-distinct-authors.ts";
export { forgetMentions } from "./ingest/forget-mentions.ts";
export { forgetSecret } from "./ingest/forget-requests.ts";
export type { IncidentFacts } from "./ingest/incident-reader.ts";
export { judgePage, mentionObservations, storiesToCount } from "./ingest/judge-page.ts";
export { noteValues, noveltiesOf, usesOf, valueKeys, valueObservations } from "./ingest/note-values.ts";
export { countedAt } from "./ingest/page-counts.ts";
export { preparePage } from "./ingest/prepare-page.ts";
export { recordIncidents } from "./ingest/record-incidents.ts";
export { toldInside, withIncidents } from "./ingest/record-notifications.ts";
export type { RecordedObservations } from "./ingest/record-observations.ts";
export { arrivalsByBucket, stepWindow } from "./ingest/step-window.ts";
export { createStoryIndex } from "./ingest/story-index.ts";
export {
  LONGEST_TOKEN_MS,
  MOST_TOKENS,
  SCOPE_WORDS,
  type StoredToken,
  TokenScope,
} from "./model/access-token.ts";
export type { Alert, AlertState } from "./model/alert.ts";
export {
  ACTION_LABELS,
  type Actor,
  type AlertAction,
  type AlertEvent,
  AlertLink,
  describeActor,
  describePrecision,
  LINK_SILENCE_MS,
  type RulePrecision,
  readAlertLink,
} from "./model/alert-action.ts";
export type { AlertActions } from "./model/alert-actions.ts";
export { AlertMatch, describeMatch } from "./model/alert-match.ts";
export type { AuditEntry, AuditFilter } from "./model/audit.ts";
export {
  type AuthorListing,
  authorKeyOf,
  type ListedAuthor,
  type ListSums,
  LONGEST_LIST_NAME,
  LONGEST_LIST_NOTE,
} from "./model/author-list.ts";
export type { ShownDigest, ShownEdition } from "./model/digest.ts";
export type { DeadLetter, Outage } from "./model/failure.ts";
export { type AskedToForget, askedHash, withoutAt } from "./model/forget-request.ts";
export type { Incident, IncidentEntry, IncidentStatus, WholeIncident } from "./model/incident.ts";
export type { CrisisRoom, IncidentNote } from "./model/incident-work.ts";
export {
  BUCKET_MS,
  type ConditionState,
  type CountChange,
  DISTINCT_AUTHORS_FOR_MS,
  type DistinctAuthor,
  type Match,
  type SeenValue,
  VALUES_FOR_MS,
} from "./model/judging.ts";
export { eventAt, type Mention, type StoryMention, speakerOf } from "./model/mention.ts";
export { type Facet, type FacetRow, FILTERS, type Filters } from "./model/mention-counts.ts";
export {
  LONGEST_NOTE,
  LONGEST_TAG,
  type MentionKey,
  MOST_PRESSED,
  readTags,
  type ShownWorkflow,
  STATUS_WORDS,
  WORK_STATUSES,
  type WorkflowStep,
} from "./model/mention-workflow.ts";
export type { GroupFlush, PendingNotification, ReceiverEntry } from "./model/notification.ts";
export { PEOPLE } from "./model/people.ts";
export type { QueueCounts, ShownHeartbeat } from "./model/pipeline-facts.ts";
export { clockAheadMs, type Priority, worstDelayMs } from "./model/poll.ts";
export {
  answerOf,
  compareVersions,
  isLoopLate,
  type ProcessVersions,
  type RefusedReload,
  type ReloadAnswer,
  type ReloadRequest,
  type RunningProcess,
  whyOther,
} from "./model/process.ts";
export {
  FEEDS_PREFIX,
  namesInList,
  OWN_QUERY,
  type Query,
  type SourceName,
  sourceOfProject,
  type WatchedQuery,
} from "./model/query.ts";
export { RuleForm } from "./model/rule-form.ts";
export type { RuleDelay, RuleEdit, RuleTestRecord } from "./model/rule-page.ts";
export type { RuleFaults, RuleTryOutcome, TriedQuery, TriedRule } from "./model/rule-try.ts";
export { formatQuirk, inOrder, QUIRKS } from "./model/server-quirk.ts";
export type { StoredSession } from "./model/session.ts";
export { compareSeverity, Severity } from "./model/severity.ts";
export {
  type AlertListing,
  type AlertPosition,
  type AlertStates,
  type AnsweredAlert,
  type IncidentFigures,
  isByArrival,
  type ListedAlert,
  type ListedIncident,
  type MentionFilter,
  type MentionListing,
  type MentionPosition,
  MOST_ANSWERED_ALERTS,
  NOBODY,
  type ShownBudget,
  type ShownDeadLetter,
  type ShownDelivery,
  type ShownIncident,
  type ShownMention,
  type ShownNotification,
  type ShownPoll,
  type ShownQuirk,
  type ShownReceiver,
  type ShownStory,
  type ShownWait,
  type ShownWarmUp,
  type SpreadStory,
  type VolumeCount,
  type WholeShownIncident,
  type WorkFilter,
} from "./model/shown.ts";
export { type ListedSilence, LONGEST_SILENCE_MS, SILENCE_LENGTHS, type Silence } from "./model/silence.ts";
export { categoriesAfter, type MentionEdit, type ShownSourceEdit } from "./model/source-edit.ts";
export { storyKey, storyOf } from "./model/story.ts";
export {
  nameKey,
  ROLE_WORDS,
  reachesRole,
  type StoredUser,
  UserName,
  UserRole,
} from "./model/user.ts";
export { attemptName, countedBy, deletedWords, expandReason, titleOf, wordsOf } from "./model/wording.ts";
export { type Earshot, type EarshotOptions, startEarshot } from "./monitor.ts";
export type { MonitorConfig } from "./monitor-config.ts";
export {
  findDeadConfiguration,
  type NamedQuery,
  namedQueries,
  type RuleAlerts,
} from "./notify/dead-configuration.ts";
export {
  decideNotifications,
  type NotifyConfig,
  type NotifyState,
  type RecentNotifications,
} from "./notify/decide/decide-notifications.ts";
export type { Entry } from "./notify/decide/entry.ts";
export { EscalationConfig } from "./notify/decide/escalation.ts";
export { Inhibition, isInhibitor } from "./notify/decide/inhibition.ts";
export { onCall, Rotation } from "./notify/decide/rotation.ts";
export { RouteConfig } from "./notify/decide/route.ts";
export { describeNotified } from "./notify/decide/who-is-notified.ts";
export type {
  InteractionEndpoint,
  LocalVendors,
  NotifierMessage,
  RehearsedRequest,
} from "./notify/define-notifier.ts";
export { createReceiverWaits } from "./notify/deliver/receiver-waits.ts";
export {
  type BounceResult,
  MOST_OF_BOUNCE,
  takeBounce,
} from "./notify/deliver/take-bounce.ts";
export { DeliveryError } from "./notify/delivery-error.ts";
export { openInteractionEndpoints } from "./notify/interactions.ts";
export { composeEmail } from "./notify/notifiers/email/compose-email.ts";
export { sendInvitation } from "./notify/notifiers/email/send-invitation.ts";
export { previewSlack } from "./notify/notifiers/slack/compose-slack.ts";
export { SLACK_PATH } from "./notify/notifiers/slack/slack-endpoint.ts";
export { createNotifier, definitionOf, notifiers } from "./notify/notifiers.ts";
export { mailerOf } from "./notify/people.ts";
export {
  aboutOf,
  createContentOfAlert,
  type Previews,
  showPreview,
  type TemplatePreview,
} from "./notify/previews/create-previews.ts";
export {
  type PreviewContent,
  type PreviewFile,
  previewFiles,
  previewTemplate,
} from "./notify/previews/preview-template.ts";
export { contentOfSample, findSample, type ShownPreview } from "./notify/previews/sample-message.ts";
export { findChromium, type Picture, takePictures } from "./notify/previews/take-pictures.ts";
export { type TemplateToTry, type TriedTemplate, tryTemplate } from "./notify/previews/try-template.ts";
export { checkReceivers, Receiver, type ReceiverConfig, readReceivers } from "./notify/receiver-config.ts";
export { type AlertExplainer, createAlertExplainer } from "./notify/view/alert-chart.ts";
export { versionsIn } from "./notify/view/name-versions.ts";
export {
  createUnsubscribing,
  linkSecret,
  type Subscription,
  type Unsubscribing,
} from "./notify/view/signed-links.ts";
export { createCallGate } from "./polling/call-gate.ts";
export { type CoverageReport, readCoverage, rulesWarmingUp } from "./polling/read-coverage.ts";
export { namedBy, watchedQueries } from "./polling/register-queries.ts";
export type { BackendOptions } from "./queue/backend.ts";
export { inspectRedis, type OpenRedis, type RedisFacts } from "./queue/inspect-redis.ts";
export { ROLES, type Role } from "./roles.ts";
export { alertNames } from "./rules/alert-names.ts";
export { compileRule } from "./rules/compile-rule.ts";
export { delayOf, describeRule, formatDelay } from "./rules/describe-rule.ts";
export { loadRules, RULE_NAME, RULE_TESTS, ruleNameOf, ruleVersion, validRules } from "./rules/load-rules.ts";
export { parseRule } from "./rules/parse-rule.ts";
export {
  faultOfLength,
  LONGEST_POSTED,
  oneFault,
  type PostedText,
  readPostedForm,
  readPostedRule,
  TOO_LONG,
  writePostedForm,
} from "./rules/posted-rule.ts";
export type { Rule } from "./rules/rule.ts";
export { ruleCompletions } from "./rules/rule-completions.ts";
export { DRAFT_KINDS, type DraftAnswers, draftRule, inYaml, listInYaml } from "./rules/rule-drafts.ts";
export { ruleJsonSchema } from "./rules/rule-schema.ts";
export { rulesByQuery } from "./rules/rules-by-query.ts";
export { RING } from "./rules/spike/constants.ts";
export {
  closeBucket,
  type LateCount,
  type SpikeObservation,
  type SpikeSettings,
} from "./rules/spike/detector.ts";
export { newestWithMentions } from "./rules/spike/episode.ts";
export { ordinaryLimit } from "./rules/spike/gates.ts";
export { learnOnly } from "./rules/spike/learn-only.ts";
export { gatesOf, SENSITIVITIES, significanceGate } from "./rules/spike/sensitivity.ts";
export {
  AT,
  createSpikeState,
  fromShortFloat,
  MARK,
  mark,
  type SpikeState,
} from "./rules/spike/spike-state.ts";
export type { Budget, Gate } from "./source/budget.ts";
export { API_CALLS, type ApiCall } from "./source/call-table.ts";
export type { SourceProject, SourceQuery } from "./source/calls/projects.ts";
export type { Places, RawParams } from "./source/define-call.ts";
export { fetchPages } from "./source/fetch-pages.ts";
export type { LoginAnswer } from "./source/login.ts";
export { type Credentials, createMemoryTokenStore } from "./source/session.ts";
export { accessTo, accountOf } from "./source/source-access.ts";
export { createSourceClient, type SourceClient } from "./source/source-client.ts";
export { type Source, SourceConfig, type Sources, sourceOf } from "./source/source-config.ts";
export { SourceError, type SourceErrorKind } from "./source/source-error.ts";
export { toMention } from "./source/to-mention.ts";
export { formatWireInstant, parseWireInstant, toWireId } from "./source/wire-values.ts";
export { createBudgetStore } from "./store/budgets.ts";
export { createChannelLimitStore } from "./store/channel-limits.ts";
export { type ConsoleFacts, createConsoleStore } from "./store/console.ts";
export {
  type Database,
  type DatabaseFacts,
  type Db,
  inspectDatabase,
  openDatabase,
  openPool,
  ping,
  READER_LIMITS,
} from "./store/database.ts";
export { createDeadLetterStore } from "./store/dead-letters.ts";
export type { DecisionsLeft } from "./store/due-work.ts";
export { isAlive } from "./store/embedded/postmaster.ts";
export { startEmbeddedPostgres } from "./store/embedded.ts";
export { createFailureStore } from "./store/failures.ts";
export { createWatchStore } from "./store/health.ts";
export { createInboxStore } from "./store/inbox.ts";
export { wholesOf } from "./store/incidents.ts";
export { laterMigrations, migrate, pendingMigrations } from "./store/migrate.ts";
export { ensurePartitions } from "./store/partitions.ts";
export type { ProcessReport } from "./store/processes.ts";
export type { FilesOutcome } from "./store/rewrite-tables.ts";
export { createSettingStore } from "./store/settings.ts";
export {
  copySiblingDatabase,
  dropSiblingDatabase,
  ensureSiblingDatabase,
  findSiblingDatabase,
  siblingDatabases,
} from "./store/sibling-database.ts";
export type { SlackPerson } from "./store/slack-people.ts";
export { createStores, type Stores } from "./store/stores.ts";
export type { ListedView, SavedView } from "./store/views.ts";
export { sweepEveryMs } from "./sweep/create-sweep.ts";
export type { SweepOptions } from "./sweep/sweep.ts";
export { shortCount } from "./templates/alert-words.ts";
export { type Renderer, readTemplates } from "./templates/create-renderer.ts";
export type { UnneededView } from "./templates/digest-view.ts";
export { cleanLine } from "./templates/escape.ts";
export { formatTime } from "./templates/formatters.ts";
export { openTemplates, validTemplates } from "./templates/open-templates.ts";
export { type Sample, samples } from "./templates/samples.ts";
export { TEMPLATE_NAMES, type TemplateName } from "./templates/template-names.ts";
export {
  countSpeakers,
  countVolume,
  type ExplainedVolume,
  periodsOf,
  planCounting,
  type SpeakerTable,
} from "./views/answers/answer-question.ts";
export type { Mood, VoiceOf, Volume } from "./views/count-volume.ts";
export type { Mover } from "./views/movers.ts";
export { chosenQueries, hasFilters, InsightsQuestion, LONGEST_FILTER } from "./views/question.ts";
export {
  describeMoment,
  describeSpan,
  labelOf,
  RANGES,
  type Range,
  readRange,
  STEPS,
  shortLabelOf,
  spanOfMoments,
} from "./views/range.ts";
export {
  noteMention,
  type PressResult,
  pressMentions,
  undoPress,
} from "./workflow/actions/press-mentions.ts";
export type { Press } from "./workflow/press.ts";
