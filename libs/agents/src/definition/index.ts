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
  type CompiledTool,
  type EmailTool,
  HTTP_METHODS,
  type HttpCall,
  type HttpMethod,
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
export { compileCondition, compileExpression } from './expressions/cel-environment.js';
export type { ExpressionScope } from './expressions/cel-names.js';
export { compileTemplate } from './expressions/template.js';
export { schemaValidator } from './json-schema.js';
export {
  type DefinitionFormat,
  MAX_DEFINITION_BYTES,
  parseDefinition,
  type ParsedDefinition,
  type ParseOptions,
  type SecretUse,
} from './parse-definition.js';
export { RETRYABLE_ERRORS, type RetryableError, type RetryPolicy } from './retry-policy.js';
export type { SchemaValidator } from './schema-validator.js';
export { AGENT_V1_SCHEMA } from './schema/agent-v1.schema.js';
export { closest } from './suggest.js';
