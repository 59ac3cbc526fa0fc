/**
 * Agents and their numbered versions: what is deployed, and under which number. Definitions themselves, their language and
 * their compiled form, are behind the front door of `definition/`; running them is the business of another lib.
 */
export { AGENT_STATUSES, type AgentStatus, type EffectiveAgentStatus, effectiveStatus } from './agent-status.js';
export type { AgentVersion, ListedVersion } from './agent-version.entity.js';
export { AgentVersionsService, type CreatedVersion } from './agent-versions.service.js';
export type { Agent } from './agent.entity.js';
export { AgentsModule } from './agents.module.js';
export { type Actor, AgentsService, type CreatedAgent } from './agents.service.js';
export { CompiledVersions } from './compiled-versions.js';
export type { DefinitionSource, SubmittedDefinition } from './submitted-definition.js';
