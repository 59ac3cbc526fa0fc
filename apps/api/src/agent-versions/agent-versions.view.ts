import type { Request, Response } from 'express';
import type { AgentVersionEntity, CheckedPromotion, CreatedVersion, ListedVersion } from '@app/agents';
import type { DefinitionComparison } from '@app/definition';
import { DomainError } from '@app/kernel';
import { contentVersion, tagged } from '../http/answers.js';
import { DEFINITION_TYPES } from '../http/definition-body.pipe.js';
import {
  type AgentVersionResource,
  type CreatedAgentVersionResource,
  type DefinitionDifferences,
  type PromotionResource,
  type VersionComparison,
} from './agent-versions.api.js';

export function presentVersion(version: ListedVersion): AgentVersionResource {
  return {
    agent: version.agentId,
    version: version.version,
    created_at: version.createdAt.toISOString(),
    created_by: version.createdBy,
    definition_hash: version.definitionHash,
    project: version.project,
    is_production: version.isProduction,
    evaluation: version.evaluation,
    definition: version.definition,
  };
}

export function presentCreatedVersion({ version, warnings }: CreatedVersion): CreatedAgentVersionResource {
  return Object.assign(presentVersion(version), { warnings: [...warnings] });
}

/**
 * Returns the version as JSON, or the submitted text unchanged if the client prefers YAML.
 * @throws DomainError `not_acceptable` if the client accepts neither
 */
export function presentVersionAs(
  request: Request,
  response: Response,
  version: AgentVersionEntity,
): AgentVersionResource | string {
  response.vary('Accept');
  // JSON is the first type in the list, so a client without a preference gets JSON.
  const type = request.accepts(['application/json', ...DEFINITION_TYPES.filter((each) => each.endsWith('yaml'))]);
  if (type === false) {
    throw new DomainError(
      'not_acceptable',
      'This operation returns application/json or application/yaml. Send one of them in the Accept header.',
    );
  }
  const body = type === 'application/json' ? presentVersion(version) : version.source;
  if (typeof body === 'string') response.type(type);
  return tagged(response, contentVersion(body), body);
}

export function presentComparison(
  { agentId, a, b }: { agentId: string; a: number; b: number },
  { patch, capabilityChanges }: DefinitionComparison,
): VersionComparison {
  return { agent: agentId, a, b, patch, capability_changes: capabilityChanges };
}

export function presentDifferences(
  agentId: string,
  a: number,
  { patch, capabilityChanges }: DefinitionComparison,
): DefinitionDifferences {
  return { agent: agentId, a, patch, capability_changes: capabilityChanges };
}

export function presentPromotion(promoted: CheckedPromotion): PromotionResource {
  return {
    agent: promoted.agentId,
    production_version: promoted.productionVersion,
    previous_version: promoted.previousVersion,
    evaluation: promoted.evaluation,
    promoted_at: promoted.promotedAt.toISOString(),
    promoted_by: promoted.promotedBy,
    warnings: [...promoted.warnings],
  };
}
