import { CompiledVersions } from '@app/agents';
import type { CompiledDefinition } from '@app/definition';
import { DomainError, type JsonObject, newId, notFound } from '@app/kernel';
import { JobQueueService } from '@app/platform/queue';
import { afterEqualRequest } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { acceptedRun } from '../records/accepted-run.js';
import { BackpressureService } from './backpressure.service.js';
import type { RunEntity } from '../records/run.entity.js';
import { executeRun } from '../store/run.jobs.js';
import type { Creation, CreationVerdict } from '../records/run-commands.js';
import { NewRunsService, type StartRun } from './new-runs.service.js';
import { RunStore } from '../store/run.store.js';
import { RunQueriesService } from '../read/run-queries.service.js';
import type { RunMode } from '../records/run-status.js';

// Number of promotions during one start after which the caller is asked to retry.
const MAX_PROMOTIONS_SEEN = 3;

@Injectable()
export class RunIntakeService {
  constructor(
    private readonly versions: CompiledVersions,
    private readonly store: RunStore,
    private readonly queries: RunQueriesService,
    private readonly queue: JobQueueService,
    private readonly backpressure: BackpressureService,
    private readonly newRuns: NewRunsService,
  ) {}

  /**
   * Starts a run. When this method returns, the run is committed.
   * @throws DomainError `input_invalid`, `unknown_reference` (version), `test_key_production_mode`, `agent_archived`,
   * `workspace_stopped`, `idempotency_key_reused`, `idempotency_in_progress`, `not_found`, `rate_limited` (queue or
   * concurrency full), `budget_exceeded` (of the day), `unavailable`
   */
  async startRun(request: StartRun): Promise<{ run: RunEntity; replayed: boolean }> {
    const mode = modeOf(request);
    try {
      return await this.accept(request, mode);
    } catch (refusal) {
      const earlier = isAboutTheRequest(refusal) ? await this.acceptedEarlier(request) : undefined;
      if (!earlier) throw refusal;
      return earlier;
    }
  }

  private async accept(request: StartRun, mode: RunMode): Promise<{ run: RunEntity; replayed: boolean }> {
    this.backpressure.admitRun(request.workspaceId);
    const id = newId('run');
    for (let seen = 0; seen < MAX_PROMOTIONS_SEEN; seen++) {
      const { version, definition } = await this.resolveVersion(request);
      checkInput(definition, request.input);
      const creation = await this.newRuns.prepareWithinBudget(request, { id, mode, version, definition });
      const verdict = await afterEqualRequest('idempotency_keys', this.store.create(creation));
      if (verdict.verdict !== 'version_changed') return this.answer(request, creation, verdict);
      this.versions.forget(request.workspaceId, request.agentId);
    }
    throw new DomainError('unavailable', 'The production version keeps changing. Try again.', { retryAfterSeconds: 1 });
  }

  /**
   * Returns the run that an equal request started earlier, which is valid even if the request would be rejected today.
   * Only rejected requests are looked up, so accepted requests have no extra cost.
   * @throws DomainError `idempotency_key_reused`
   */
  private async acceptedEarlier({
    workspaceId,
    idempotency,
  }: StartRun): Promise<{ run: RunEntity; replayed: true } | undefined> {
    const earlier = idempotency && (await this.store.acceptedAs(workspaceId, idempotency));
    if (!earlier) return undefined;
    if (!earlier.isSame) throw keyReused();
    return { run: acceptedRun(await this.queries.get(workspaceId, earlier.runId)), replayed: true };
  }

  private async answer(
    request: StartRun,
    creation: Creation,
    verdict: Exclude<CreationVerdict, { verdict: 'version_changed' }>,
  ): Promise<{ run: RunEntity; replayed: boolean }> {
    switch (verdict.verdict) {
      case 'created':
        if (!this.backpressure.hasBacklog(request.workspaceId))
          this.queue.enqueue(executeRun, { runId: verdict.runId });
        return { run: acceptedRun({ createdAt: verdict.createdAt, ...creation }), replayed: false };
      case 'replayed':
        return { run: acceptedRun(await this.queries.get(request.workspaceId, verdict.runId)), replayed: true };
      case 'key_reused':
        throw keyReused();
      case 'stopped':
        throw new DomainError(
          'workspace_stopped',
          'The workspace is stopped. Runs can be started after an admin resumes it.',
        );
      case 'archived':
        throw new DomainError('agent_archived', 'The agent is archived and starts no more runs.');
      case 'not_found':
        throw notFound('agent', request.agentId);
      case 'conflict':
        throw new DomainError(
          'rate_limited',
          'The agent has as many runs as its `concurrency` allows. Try again later.',
          {
            retryAfterSeconds: 5,
          },
        );
      case 'version_unknown':
        throw unknownVersion(creation.version);
    }
  }

  private async resolveVersion(request: StartRun): Promise<{ version: number; definition: CompiledDefinition }> {
    const { workspaceId, agentId, version } = request;
    if (version === undefined) return this.versions.production(workspaceId, agentId);
    await this.versions.production(workspaceId, agentId);
    try {
      return { version, definition: await this.versions.get(workspaceId, agentId, version) };
    } catch (error) {
      throw error instanceof DomainError && error.code === 'not_found' ? unknownVersion(version) : error;
    }
  }
}

function modeOf({ initiator, mode }: StartRun): RunMode {
  if (initiator.keyKind === 'live') return mode ?? 'production';
  if (mode === 'production') {
    throw new DomainError(
      'test_key_production_mode',
      'A test key starts runs in mode `test` only. Use a live key for production.',
    );
  }
  return 'test';
}

function checkInput(definition: CompiledDefinition, input: JsonObject): void {
  const errors = definition.input?.validate(input) ?? [];
  if (errors.length === 0) return;
  const places = errors.map((error) => ({ ...error, pointer: `/input${error.pointer}` }));
  throw new DomainError('input_invalid', `The input does not fit the agent: ${errors[0]!.detail}`, { errors: places });
}

/** If a service is unavailable, the lookup is skipped: the caller has already waited. */
function isAboutTheRequest(refusal: unknown): boolean {
  return refusal instanceof DomainError && refusal.code !== 'unavailable';
}

function keyReused(): DomainError {
  const detail = 'This Idempotency-Key was used with another body. Use a new key for a new run.';
  return new DomainError('idempotency_key_reused', detail);
}

function unknownVersion(version: number): DomainError {
  const detail = `The agent has no version ${version}.`;
  return new DomainError('unknown_reference', detail, { errors: [{ pointer: '/version', detail }] });
}
