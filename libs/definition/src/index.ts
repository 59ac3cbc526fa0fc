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
  type ConcurrencyRule,
  type EmailTrigger,
  type ImapAccount,
  type KnowledgeUse,
  type ModelChoice,
  type ModelParams,
  type ModelSettings,
  POLICY_ACTIONS,
  type PolicyAction,
  type RunBudget,
  type ScheduleTrigger,
} from './model/compiled-definition.js';
export {
  type Assertion,
  ASSERTION_KINDS,
  type AssertionKind,
  type CompiledEvaluation,
  type EvaluationReads,
  type PromotionGate,
} from './model/compiled-evaluation.js';
export {
  type AgentStep,
  type ApprovalStep,
  type AssertStep,
  type CompiledStep,
  type FailStep,
  type ForEachStep,
  type HandOffStep,
  type OutputStep,
  type ParallelStep,
  type RetrieveStep,
  type SwitchStep,
  type ToolStep,
  type WaitStep,
} from './model/compiled-step.js';
export {
  type AgentTool,
  type KnowledgeTool,
  type CompiledTool,
  type EmailTool,
  type HttpCall,
  type HttpParameter,
  type HttpTool,
  type McpTool,
  type OpenapiTool,
  type OperationEffect,
  type OperationScope,
  SIMULATED_RESPONSE,
  type ToolOperation,
} from './model/compiled-tool.js';
export { CHANGE_SEVERITIES, type ChangeSeverity } from './diff/capability-change.js';
export { compareDefinitions, type DefinitionComparison } from './diff/compare-definitions.js';
export { compileDefinition } from './compile/compile-definition.js';
export type { DefinitionWarning } from './compile/context/problems.js';
export {
  type Condition,
  type Expression,
  ExpressionError,
  type Scope,
  type Template,
} from './expressions/expression.js';
export { evaluationWork, withSharedBudget } from './expressions/cel-cost.js';
export { compileCondition, compileExpression } from './expressions/cel-environment.js';
export { cronProblem, isTimeZone } from './schedule/cron-problem.js';
export { FireTimes } from './schedule/fire-times.js';
export { blocksOf, isBlock } from './steps/registry.js';
export { schemaValidator } from './json-schema/schema-validator.js';
export { OperationSchemas } from './model/operation-schema.js';
export {
  type DefinitionFormat,
  type DefinitionLimits,
  parseDefinition,
  type ParsedDefinition,
  type GroupMention,
  type ModelMention,
  type KnowledgeMention,
  type SecretUse,
} from './parse-definition.js';
export { type RetryPolicy } from './model/compiled-step.js';
export { mcpTarget, scalarText, toolHeaders } from './model/mcp-target.js';
export { describeOpenapi } from './openapi/describe-openapi.js';
export { OpenapiDocument, UnusableDocument } from './openapi/openapi-document.js';
export type { SchemaValidator } from './json-schema/schema-validator.js';
export { AGENT_V1_SCHEMA } from './schema/agent-v1.schema.js';
export type {
  DescribedOperation,
  DescriptionProblem,
  ToolDescription,
  ToolDescriptions,
} from './model/tool-description.js';
export { KNOWLEDGE_RETRIEVAL, KNOWLEDGE_SEARCH } from './tools/knowledge.js';
export { furtherPassesNeeded, wilsonLowerBound } from './model/wilson.js';
