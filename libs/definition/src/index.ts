/**
 * The definition format `agent/v1`. The library is pure: it uses no I/O, no framework and no clock.
 *
 * `parseDefinition` is for authors: it reports every mistake with its position and a suggestion. `compileDefinition` is
 * for workers: it compiles a stored definition fast. Editors use the JSON Schema, and the interpreter runs the compiled
 * definition.
 */
export { compileDefinition } from './compile/compile-definition.js';
export type { DefinitionWarning } from './contract/problems.js';
export { CHANGE_SEVERITIES, type ChangeSeverity } from './diff/capability-change.js';
export { compareDefinitions, type DefinitionComparison } from './diff/compare-definitions.js';
export { evaluationWork, withSharedBudget } from '@app/cel';
export { compileCondition, compileExpression } from '@app/cel';
export { type Condition, type Expression, ExpressionError, type Scope, type Template } from '@app/cel';
export {
  ANY_FILES,
  type FileFacts,
  type AddedMembers,
  fileFieldsIn,
  type KnownFiles,
  withoutUnnamed,
  NO_FILES,
  schemaValidator,
  type SchemaValidator,
  withoutFileKeyword,
} from '@app/json-schema';
export { structureMisfit } from '@app/json-schema';
export { structureMisfits } from './checks/answer-structures.js';
export type { GroupTask } from './checks/check-rules.js';
export type { ConnectionMention, GroupMention, Mentions, ModelMention, SecretUse } from './mentions.js';
export {
  type ApprovalRule,
  type CompiledDefinition,
  type CompiledPolicy,
  type ConcurrencyRule,
  connectionsOf,
  type CacheMode,
  MODEL_PARAM_MEMBERS,
  type EmailTrigger,
  type ImapAccount,
  type KnowledgeUse,
  type ModelChoice,
  type ModelParams,
  type ModelFiles,
  type ModelSettings,
  type PollTrigger,
  POLICY_ACTIONS,
  type PolicyAction,
  type RunBudget,
  type ScheduleTrigger,
  type WebhookTrigger,
} from './model/compiled-definition.js';
export {
  type Assertion,
  ASSERTION_KINDS,
  type AssertionKind,
  type CompiledEvaluation,
  type EvaluationCase,
  type EvaluationReads,
  type MockedAnswer,
  type PromotionGate,
} from './model/compiled-evaluation.js';
export type {
  AgentStep,
  ApprovalStep,
  AskStep,
  CallbackUse,
  CallbackWait,
  QuestionTimeout,
  AssertStep,
  CodeLimits,
  CodeStep,
  CompiledStep,
  FailStep,
  ForEachStep,
  HandOffStep,
  OutputStep,
  ParallelStep,
  RepeatStep,
  RetrieveStep,
  RetryPolicy,
  SwitchStep,
  ToolStep,
  WaitStep,
} from './model/compiled-step.js';
export {
  type AgentTool,
  type AwsSignatureAuth,
  type ClientCredentialsAuth,
  type ConnectionAuth,
  type CompiledTool,
  type EmailTool,
  type DescribedBody,
  type HttpCall,
  type HttpParameter,
  type HttpTool,
  type KnowledgeTool,
  type McpTool,
  type OpenapiTool,
  type FileForm,
  type OperationEffect,
  type OperationScope,
  type MysqlTool,
  type PostgresTool,
  type PinnedDocument,
  SIMULATED_RESPONSE,
  type SqlCall,
  type SqlTool,
  type FilesTool,
  type StateTool,
  type ToolAuth,
  type ToolOperation,
} from './model/compiled-tool.js';
export { caseWithFixtures } from './model/fixtures.js';
export { type FileMembers, fileMembers, withFileMembers } from './model/file-members.js';
export type { McpExposure } from './model/mcp-exposure.js';
export { allowsUrl, hostText } from './model/allowed-hosts.js';
export { hostOfCall } from './model/call-host.js';
export type { BodyKind, ComputedUrl, CustomRequest, ResponseKind } from './model/custom-request.js';
export { credentialHeaders, headerValues, mcpTarget, scalarText } from './model/mcp-target.js';
export { allowsRecipient, isBareAddress } from './model/recipients.js';
export { OperationSchemas } from './model/operation-schema.js';
export type {
  DescribedOperation,
  DescriptionProblem,
  ToolDescription,
  ToolDescriptions,
} from './model/tool-description.js';
export type { HmacAlgorithm, HmacEncoding, WebhookAuth, WebhookResponse } from './model/webhook-trigger.js';
export { furtherPassesNeeded, wilsonLowerBound } from './model/wilson.js';
export { type IncludedOperation, includedOperation } from './model/included-operation.js';
export { describeOpenapi, type OpenapiSource } from './openapi/describe-openapi.js';
export { bundledDocument, type FurtherDocument } from './openapi/openapi-bundle.js';
export { OpenapiDocument, UnusableDocument } from './openapi/openapi-document.js';
export {
  type DefinitionFormat,
  type DefinitionLimits,
  type ParsedDefinition,
  parseDefinition,
} from './parse-definition.js';
export { cronProblem } from './schedule/cron-problem.js';
export { FireTimes } from './schedule/fire-times.js';
export { AGENT_V1_SCHEMA } from './schema/agent-v1.schema.js';
export { blocksOf, isBlock, readableSteps } from './steps/registry.js';
export { isStatus } from './triggers/webhook-response.js';
export { KNOWLEDGE_RETRIEVAL, KNOWLEDGE_SEARCH } from './tools/knowledge.js';
export { hasMysqlInto } from './sql/sql-statement.js';
export { FILE_TEXT_CHARS } from './tools/files.js';
export { MAX_STATE_VALUE } from './tools/state.js';
