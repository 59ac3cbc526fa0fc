/**
 * The definition format `agent/v1`: text in, a checked and compiled model out. Pure: no I/O, no framework, no clock.
 *
 * `parseDefinition` is for authors (every mistake with its place and a remedy), `compileDefinition` for workers (a stored
 * definition, fast). The JSON Schema is served to editors; the types are what the run engine interprets.
 */
export {
  type ApprovalRule,
  type CompiledDefinition,
  type CompiledPolicy,
  type CompiledTrigger,
  type ConcurrencyRule,
  type EmailTrigger,
  type ImapAccount,
  type KnowledgeUse,
  type ModelChoice,
  type ModelParams,
  type ModelSettings,
  POLICY_ACTIONS,
  type PolicyAction,
  type PolicyDefaults,
  type RunBudget,
  type RunLimits,
  type ScheduleTrigger,
  type WebhookTrigger,
} from './compiled-definition.js';
export {
  type Assertion,
  ASSERTION_KINDS,
  type AssertionKind,
  type CompiledEvaluation,
  EVALUATION_READS,
  type EvaluationReads,
  type EvaluationCase,
  type PromotionGate,
  type RecordedRuns,
} from './compiled-evaluation.js';
export {
  type AgentStep,
  type ApprovalStep,
  type AssertStep,
  type CompiledStep,
  type FailStep,
  type ForEachStep,
  type HandOffStep,
  type LetStep,
  type OutputStep,
  type ParallelStep,
  type RetrieveStep,
  STEP_KINDS,
  type StepKind,
  type SwitchBranch,
  type SwitchStep,
  type ToolStep,
  type WaitStep,
} from './compiled-step.js';
export {
  type AgentTool,
  type KnowledgeTool,
  type CompiledTool,
  type EmailTool,
  HTTP_METHODS,
  type HttpCall,
  type HttpMethod,
  type HttpParameter,
  type HttpTool,
  type McpTool,
  type OpenapiTool,
  OPERATION_EFFECTS,
  OPERATION_SCOPES,
  type OperationEffect,
  type OperationScope,
  type PathPart,
  type Reconciliation,
  SIMULATED_RESPONSE,
  type ToolAuth,
  type ToolOperation,
} from './compiled-tool.js';
export { type CapabilityChange, CHANGE_SEVERITIES, type ChangeSeverity } from './diff/capability-change.js';
export { compareDefinitions, type DefinitionComparison } from './diff/compare-definitions.js';
export { compileDefinition } from './compile/compile-definition.js';
export type { DefinitionWarning } from './compile/problems.js';
export {
  type Condition,
  type Expression,
  EXPRESSION_ERROR_CODES,
  ExpressionError,
  type ExpressionErrorCode,
  type Scope,
  type Template,
} from './expressions/expression.js';
export { evaluationWork, withSharedBudget } from './expressions/cel-cost.js';
export { compileCondition, compileExpression } from './expressions/cel-environment.js';
export type { ExpressionScope } from './expressions/cel-names.js';
export { cronProblem, isTimeZone } from './checks/check-triggers.js';
export { FireTimes } from './schedule/fire-times.js';
export { compileTemplate } from './expressions/template.js';
export { schemaValidator } from './json-schema.js';
export { OperationSchemas } from './operation-schema.js';
export { WorkBudget } from './validation/work-budget.js';
export {
  type DefinitionFormat,
  type DefinitionLimits,
  parseDefinition,
  type ParsedDefinition,
  type ParseOptions,
  type GroupMention,
  type ModelMention,
  type KnowledgeMention,
  type SecretUse,
} from './parse-definition.js';
export { RETRYABLE_ERRORS, type RetryableError, type RetryPolicy } from './retry-policy.js';
export { type McpServerAddress, mcpTarget, scalarText, toolHeaders } from './mcp-target.js';
export { notAmong } from './openapi/offered-names.js';
export { describeOpenapi, type OpenapiSource } from './openapi/describe-openapi.js';
export { OpenapiDocument, UnusableDocument } from './openapi/openapi-document.js';
export type { SchemaValidator } from './schema-validator.js';
export { AGENT_V1_SCHEMA } from './schema/agent-v1.schema.js';
export type { DescribedOperation, DescriptionProblem, ToolDescription, ToolDescriptions } from './tool-description.js';

export { KNOWLEDGE_RETRIEVAL, KNOWLEDGE_SEARCH } from './compile/knowledge-tool.js';
export { furtherPassesNeeded, wilsonLowerBound } from './wilson.js';
