import { Inject, Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { DomainError, type GivenName } from '@app/kernel';
import { KnowledgeBasesService } from '@app/knowledge';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type Principal, seesAgent } from '@app/workspace';
import { RefusalExplanations } from './problem-details.filter.js';
import type { NamedKind } from './request-decorators.js';

const MAX_NAME = 200;
/** Maximum number of names for which one error suggests ids. */
const MAX_NAMES = 5;

/**
 * Finds resources by name. Ignores archived agents and deleted knowledge bases. If a request contains the name of a
 * resource instead of its id, adds the id to the error. Searches only the caller's workspace.
 */
@Injectable()
export class ResourceNamesService extends RefusalExplanations {
  constructor(
    private readonly agents: AgentsService,
    private readonly bases: KnowledgeBasesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Returns undefined if the workspace has no such resource. */
  async idOf(workspaceId: string, kind: NamedKind, name: string): Promise<string | undefined> {
    // No resource has an empty or very long name. Postgres would reject a name with a NUL character.
    if (name === '' || name.length > MAX_NAME || name.includes('\0')) return undefined;
    return kind === 'agent' ? this.agents.idByName(workspaceId, name) : this.bases.idByName(workspaceId, name);
  }

  async explained(refusal: DomainError, principal: Principal): Promise<DomainError> {
    try {
      const names = refusal.givenNames.slice(0, MAX_NAMES);
      const found = await Promise.all(names.map((given) => this.explanationOf(given, principal)));
      return withExplanations(refusal, names, found);
    } catch (error) {
      this.logger.warn({ err: error }, 'error details: looking up the id of a name failed');
      return refusal;
    }
  }

  private async explanationOf({ kind, name }: GivenName, principal: Principal): Promise<string | undefined> {
    const id = mayRead(principal, kind) ? await this.idOf(principal.workspaceId, kind, name) : undefined;
    if (id === undefined || (kind === 'agent' && !seesAgent(principal, id))) return undefined;
    return `${JSON.stringify(name)} is the name of ${id}. Use this id.`;
  }
}

/** Whether the caller has any scope for resources of this kind. */
function mayRead({ scopes }: Principal, kind: GivenName['kind']): boolean {
  const prefix = kind === 'agent' ? 'agents:' : 'knowledge:';
  return [...scopes].some((scope) => scope.startsWith(prefix));
}

function withExplanations(
  refusal: DomainError,
  names: readonly GivenName[],
  found: readonly (string | undefined)[],
): DomainError {
  const byPointer = new Map(names.map(({ pointer }, at) => [pointer, found[at]]));
  const errors = refusal.errors.map((place) => {
    const suggestion = byPointer.get(place.pointer);
    return suggestion === undefined ? place : { ...place, suggestion };
  });
  const detail = [refusal.message, ...found.filter((each) => each !== undefined)].join(' ');
  return new DomainError(refusal.code, detail, {
    kind: refusal.kind,
    errors,
    extensions: refusal.extensions,
    cause: refusal.cause,
  });
}
