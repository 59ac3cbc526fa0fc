import { type CompiledDefinition, compileDefinition } from '@app/definition';
import { Clock, DomainError, isId, notFound, ReadCache } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import { AgentRepository } from '../records/agent.repository.js';

/** Larger than the usual number of active agents: a version that is not cached is read and compiled for each run. */
const COMPILED_VERSIONS = 2_000;
const PRODUCTION_VERSIONS = 10_000;
/**
 * If a transaction finds that another version is now in production, the code that started the transaction discards the
 * cached version and retries.
 */
const PRODUCTION_MAX_AGE_MILLIS = 1_000;
/** After the last attempt, the caller gets an error and must retry. */
const MAX_PROMOTIONS_SEEN = 3;

// The database column of version numbers is a 32-bit integer, so a query for a larger number would fail.
const MAX_VERSION = 2 ** 31 - 1;

/** A version never changes, so each is read and compiled once. */
@Injectable()
export class CompiledVersionsService {
  private readonly definitions: ReadCache<CompiledDefinition>;
  private readonly productionVersions: ReadCache<{ version: number }>;

  constructor(
    private readonly agents: AgentRepository,
    private readonly versions: AgentVersionRepository,
    clock: Clock,
  ) {
    this.definitions = new ReadCache({ limit: COMPILED_VERSIONS, maxAgeMillis: Infinity, clock });
    this.productionVersions = new ReadCache({
      limit: PRODUCTION_VERSIONS,
      maxAgeMillis: PRODUCTION_MAX_AGE_MILLIS,
      clock,
    });
  }

  /** @throws DomainError `not_found` */
  async get(workspaceId: string, agentId: string, version: number): Promise<CompiledDefinition> {
    const key = `${keyOf(workspaceId, agentId)}/${version}`;
    const found = isId('agent', agentId) && isVersionNumber(version);
    const compiled = found && (await this.definitions.get(key, () => this.compile(workspaceId, agentId, version)));
    if (!compiled) throw notFound('version', String(version));
    return compiled;
  }

  /** Returns the version that was in production at most one second ago, and its definition. */
  async production(workspaceId: string, agentId: string): Promise<{ version: number; definition: CompiledDefinition }> {
    const read = () => this.agents.findProductionVersion(workspaceId, agentId);
    const found = isId('agent', agentId) && (await this.productionVersions.get(keyOf(workspaceId, agentId), read));
    if (!found) throw notFound('agent', agentId);
    return { version: found.version, definition: await this.get(workspaceId, agentId, found.version) };
  }

  /**
   * Calls `attempt`, which uses the cached production version, and returns its result. If the attempt finds that
   * another version is now in production, it returns `version_changed`. The cached version is then discarded, and the
   * attempt is repeated, at most twice.
   * @throws DomainError `unavailable` if the production version also changes during the last attempt
   */
  async withProduction<T>(
    workspaceId: string,
    agentId: string,
    attempt: () => Promise<T | 'version_changed'>,
  ): Promise<T> {
    for (let seen = 0; seen < MAX_PROMOTIONS_SEEN; seen++) {
      const result = await attempt();
      if (result !== 'version_changed') return result;
      this.invalidateProduction(workspaceId, agentId);
    }
    throw new DomainError('unavailable', 'The production version keeps changing. Try again.', { retryAfterSeconds: 1 });
  }

  invalidateProduction(workspaceId: string, agentId: string): void {
    this.productionVersions.invalidate(keyOf(workspaceId, agentId));
  }

  invalidateDefinition(workspaceId: string, agentId: string, version: number): void {
    this.definitions.invalidate(`${keyOf(workspaceId, agentId)}/${version}`);
  }

  private async compile(
    workspaceId: string,
    agentId: string,
    version: number,
  ): Promise<CompiledDefinition | undefined> {
    const stored = await this.versions.findDefinition(workspaceId, agentId, version);
    return stored && { ...compileDefinition(stored.definition, stored.descriptions), hash: stored.hash };
  }
}

export function isVersionNumber(version: number): boolean {
  return Number.isInteger(version) && version >= 1 && version <= MAX_VERSION;
}

function keyOf(workspaceId: string, agentId: string): string {
  return `${workspaceId}/${agentId}`;
}
