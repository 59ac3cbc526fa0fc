import { Inject, Injectable } from '@nestjs/common';
import { DomainError, type GivenName } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import type { Principal } from '@app/workspace';
import { RefusalExplanations } from './problem-details.filter.js';
import { ResourceNamesService } from './resource-names.service.js';

/** Maximum number of names for which one error suggests ids. */
const MOST_NAMES = 5;

/** Suggests the id of a resource if the request contains its name instead. Searches only the caller's workspace. */
@Injectable()
export class GivenNamesService extends RefusalExplanations {
  constructor(
    private readonly names: ResourceNamesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  async explained(refusal: DomainError, principal: Principal): Promise<DomainError> {
    try {
      const names = refusal.givenNames.slice(0, MOST_NAMES);
      const found = await Promise.all(names.map((given) => this.explanationOf(given, principal)));
      return withExplanations(refusal, names, found);
    } catch (error) {
      this.logger.warn({ err: error }, 'error details: looking up the id of a name failed');
      return refusal;
    }
  }

  private async explanationOf({ kind, name }: GivenName, principal: Principal): Promise<string | undefined> {
    const id = mayRead(principal, kind) ? await this.names.idOf(principal.workspaceId, kind, name) : undefined;
    return id && `${JSON.stringify(name)} is the name of ${id}. Use this id.`;
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
