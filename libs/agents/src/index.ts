export {
  AGENT_STATUSES,
  type AgentStatus,
  type EffectiveAgentStatus,
  type AgentFilter,
  effectiveStatus,
} from './records/agent-status.js';
export type { AgentEntity } from './records/agent.entity.js';
export {
  AgentArchivedListener,
  AgentLifecycleService,
  type AgentPrecondition,
} from './lifecycle/agent-lifecycle.service.js';
export type { AgentVersionEntity, ListedVersion } from './records/agent-version.entity.js';
export { AgentVersionsService, type CreatedVersion } from './lifecycle/agent-versions.service.js';
export { AgentsModule } from './agents.module.js';
export { type Actor, AgentsService, type CreatedAgent } from './lifecycle/agents.service.js';
export { DraftAgentsService } from './lifecycle/draft-agents.service.js';
export { CompiledVersionsService } from './definitions/compiled-versions.service.js';
export {
  ASKED_AT_CREATION,
  DefinitionReaderService,
  type ValidatedDefinition,
} from './definitions/definition-reader.service.js';
export { ForeignNamesService } from './definitions/foreign-names.service.js';
export { ToolDescriberService } from './definitions/tool-describer.service.js';
export type { DefinitionSource } from './definitions/submitted-definition.js';
export type {
  CaseCounts,
  EvaluatedVersion,
  EvaluationEntity,
  EvaluationOutcome,
} from './evaluations/evaluation.entity.js';
export { DUE_EVALUATIONS } from './evaluations/due-evaluations.js';
export { EvaluationsService } from './evaluations/evaluations.service.js';
export { EVALUATION_STATUSES, type EvaluationStatus, isOpen } from './records/evaluation-status.js';
export { GATE_RESULTS, type GateResult, type GradedTrial, judgeGate } from './evaluations/promotion-gate.js';
export type { CheckedPromotion } from './promotion/promotions.service.js';
export { PromotionsService } from './promotion/promotions.service.js';
export { type CatalogEntry, ModelCatalogService } from './definitions/model-catalog.service.js';
export { uncountableCost } from './definitions/definition-references.service.js';
export {
  invalidWebhookSecret,
  SEALED_AGENT_TABLES,
  type WebhookProof,
  WebhookSecretsService,
} from './lifecycle/webhook-secrets.service.js';
export { agentsSchema } from './migrations/index.js';
export { type DefinitionLimitsConfig, definitionLimitsConfig } from './definitions/definition-limits.config.js';
