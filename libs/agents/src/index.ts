/**
 * Agents and their numbered versions: what is deployed, and under which number. Definitions themselves, their language and
 * their compiled form, are behind the front door of `definition/`; running them is the business of another lib.
 */
export { AGENT_STATUSES, type AgentStatus, type EffectiveAgentStatus, effectiveStatus } from './agent-status.js';
export { AgentArchivedListener } from './agent-archived.listener.js';
export { AgentLifecycle, type AgentPrecondition } from './agent-lifecycle.service.js';
export type { AgentVersion, ListedVersion } from './agent-version.entity.js';
export { AgentVersionsService, type CreatedVersion } from './agent-versions.service.js';
export type { Agent } from './agent.entity.js';
export { AgentsModule } from './agents.module.js';
export { type Actor, AgentsService, type CreatedAgent } from './agents.service.js';
export { CompiledVersions } from './compiled-versions.js';
export { ASKED_AT_CREATION, DefinitionValidation, type ValidatedDefinition } from './definition-validation.service.js';
export { KnowledgeDirectory } from './knowledge-directory.service.js';
export { LateDescriptions } from './late-descriptions.service.js';
export type { DefinitionSource } from './submitted-definition.js';
export type { CaseCounts, Evaluation } from './evaluation.entity.js';
export type { EvaluatedVersion, EvaluationOutcome } from './evaluated-version.js';
export { Evaluations } from './evaluations.service.js';
export { EVALUATION_STATUSES, type EvaluationStatus, isOpen } from './evaluation-status.js';
export { GATE_RESULTS, type GateResult, type GradedTrial, judgeGate } from './promotion-gate.js';
export type { Promoted } from './promotion-records.service.js';
export { Promotions } from './promotions.service.js';
export { SEALED_AGENT_TABLES } from './sealed-tables.js';
export { uncountableCost } from './uncountable-cost.js';
export { type WebhookProof, WebhookSecrets } from './webhook-secrets.service.js';
export { agentFunctions } from './agent-functions.js';
