/**
 * The definition format `agent/v1`. The library is pure: it uses no I/O, no framework and no clock.
 *
 * `parseDefinition` is for authors: it reports every mistake with its position and a suggestion. `compileDefinition` is
 * for workers: it compiles a stored definition fast. The editor uses the JSON Schema, and the interpreter runs the
 * compiled types.
 */
export { compileDefinition } from './compile/compile-definition.js';
export type { DefinitionWarning } from './compile/context/problems.js';
export { CHANGE_SEVERITIES, type ChangeSeverity } from './diff/capability-change.js';
export { compareDefinitions, type DefinitionComparison } from './diff/compare-definitions.js';
export { evaluationWork, withSharedBudget } from './expressions/cel-cost.js';
export { compileCondition, compileExpression } from './expressions/cel-environment.js';
export {
  type Condition,
  type Expression,
  ExpressionError,
  type Scope,
  type Template,
} from './expressions/expression.js';
export { schemaValidator, type SchemaValidator } from './json-schema/schema-validator.js';
export type { GroupMention, KnowledgeMention, ModelMention, SecretUse } from './mentions.js';
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
export type {
  AgentStep,
  ApprovalStep,
  AssertStep,
  CompiledStep,
  FailStep,
  ForEachStep,
  HandOffStep,
  OutputStep,
  ParallelStep,
  RetrieveStep,
  RetryPolicy,
  SwitchStep,
  ToolStep,
  WaitStep,
} from './model/compiled-step.js';
export {
  type AgentTool,
  type CompiledTool,
  type EmailTool,
  type HttpCall,
  type HttpParameter,
  type HttpTool,
  type KnowledgeTool,
  type McpTool,
  type OpenapiTool,
  type OperationEffect,
  type OperationScope,
  SIMULATED_RESPONSE,
  type ToolOperation,
} from './model/compiled-tool.js';
export { mcpTarget, scalarText, toolHeaders } from './model/mcp-target.js';
export { OperationSchemas } from './model/operation-schema.js';
export type {
  DescribedOperation,
  DescriptionProblem,
  ToolDescription,
  ToolDescriptions,
} from './model/tool-description.js';
export { furtherPassesNeeded, wilsonLowerBound } from './model/wilson.js';
export { describeOpenapi } from './openapi/describe-openapi.js';
export { OpenapiDocument, UnusableDocument } from './openapi/openapi-document.js';
export {
  type DefinitionFormat,
  type DefinitionLimits,
  type ParsedDefinition,
  parseDefinition,
} from './parse-definition.js';
export { cronProblem, isTimeZone } from './schedule/cron-problem.js';
export { FireTimes } from './schedule/fire-times.js';
export { AGENT_V1_SCHEMA } from './schema/agent-v1.schema.js';
export { blocksOf, isBlock } from './steps/registry.js';
export { KNOWLEDGE_RETRIEVAL, KNOWLEDGE_SEARCH } from './tools/knowledge.js';
