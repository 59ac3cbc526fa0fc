import { Inject, Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { DomainError, type GivenName } from '@app/kernel';
import { KnowledgeBasesService } from '@app/knowledge';
import { LOGGER, type Logger } from '@app/platform/observability';
import type { Principal } from '@app/workspace';
import { RefusalExplanations } from './problem-details.filter.js';

/** Maximum number of names that are looked up for one error. */
const MOST_NAMES = 5;
const LONGEST_NAME = 200;

/**
 * Suggests the id of a resource if the request contains its name instead. Searches only the workspace of the caller.
 */
@Injectable()
export class GivenNamesService extends RefusalExplanations {
  constructor(
    private readonly agents: AgentsService,
    private readonly bases: KnowledgeBasesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Returns the error with the ids of the names in the request. Never rejects. */
  async explained(refusal: DomainError, principal: Principal): Promise<DomainError> {
    try {
      const names = refusal.givenNames.slice(0, MOST_NAMES);
      const found = await Promise.all(names.map((given) => this.explanationOf(given, principal)));
      return withExplanations(refusal, names, found);
    } catch (error) {
      this.logger.warn({ err: error }, 'explanation of a refusal: reading the id of a name failed');
      return refusal;
    }
  }

  private async explanationOf({ kind, name }: GivenName, principal: Principal): Promise<string | undefined> {
    const isSafe = name.length <= LONGEST_NAME && !name.includes('\0');
    const id = isSafe && mayRead(principal, kind) ? await this.idOf(kind, name, principal.workspaceId) : undefined;
    return id && `${JSON.stringify(name)} is the name of ${id}. Use this id.`;
  }

  private async idOf(kind: GivenName['kind'], name: string, workspaceId: string): Promise<string | undefined> {
    if (kind === 'agent') return this.agents.idByName(workspaceId, name);
    const { data } = await this.bases.list(workspaceId, { name, limit: 1, order: 'asc' });
    return data[0]?.id;
  }
}

/** Whether the key has any scope for resources of the kind. */
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
