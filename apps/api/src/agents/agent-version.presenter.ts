import type { Request, Response } from 'express';
import type { AgentVersion, AgentVersionsService, CreatedVersion, ListedVersion } from '@app/agents';
import type { DefinitionComparison } from '@app/definition';
import { DomainError } from '@app/kernel';
import { created, markReplayed } from '../http/answers.js';
import { DEFINITION_TYPES } from '../http/definition-body.js';
import { contentVersion, tagged } from '../http/entity-tag.js';
import type { ListSource } from '../http/list-pages.js';
import type { AgentVersionResource, CreatedAgentVersionResource } from './agent-version.dto.js';
import type { VersionComparison } from './version-comparison.dto.js';

function presentVersion(version: ListedVersion): AgentVersionResource {
  return {
    agent: version.agentId,
    version: version.version,
    created_at: version.createdAt.toISOString(),
    created_by: version.createdBy,
    definition_hash: version.definitionHash,
    is_production: version.isProduction,
    evaluation: version.evaluation,
    definition: version.definition,
  };
}

/** The list of an agent's versions. */
export function versionList(
  versions: AgentVersionsService,
  workspaceId: string,
  agentId: string,
): ListSource<ListedVersion, AgentVersionResource> {
  return {
    list: `agents/${agentId}/versions`,
    workspaceId,
    read: (page) => versions.list(workspaceId, agentId, page),
    present: presentVersion,
  };
}

/** 201 for a new version; 200 where the latest one has this very definition. */
export function presentCreatedVersion(
  response: Response,
  { version, created: isNew, warnings, replayed }: CreatedVersion,
): CreatedAgentVersionResource {
  if (replayed) markReplayed(response);
  const body = Object.assign(presentVersion(version), { warnings: [...warnings] });
  const location = `/v1/agents/${version.agentId}/versions/${version.version}`;
  if (isNew) return created(response, location, body);
  response.status(200).setHeader('Location', location);
  return body;
}

/**
 * The version as JSON, or for a client that prefers YAML the text exactly as it was submitted.
 * @throws DomainError `not_acceptable` when the client takes neither
 */
export function presentVersionAs(
  request: Request,
  response: Response,
  version: AgentVersion,
): AgentVersionResource | string {
  response.vary('Accept');
  // JSON is named first, so it is the answer where the client does not care.
  const type = request.accepts(['application/json', ...DEFINITION_TYPES.filter((each) => each.endsWith('yaml'))]);
  if (type === false) {
    throw new DomainError('not_acceptable', 'This operation answers application/json or application/yaml.');
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
