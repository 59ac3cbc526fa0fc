import { CompiledVersionsService, type DefinitionSource, DraftAgentsService, PromotionsService } from '@app/agents';
import type { CompiledDefinition, KnownFiles } from '@app/definition';
import { didYouMean, DomainError, isId, type JsonObject, jsonPointer, newId, notFound } from '@app/kernel';
import { JobQueueService } from '@app/platform/queue';
import { afterEqualRequest } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { acceptedRun } from '../records/accepted-run.js';
import { BackpressureService } from './backpressure.service.js';
import type { RunEntity } from '../records/run.entity.js';
import { executeRun } from '../store/run.jobs.js';
import type { Creation, CreationVerdict } from '../records/run-commands.js';
import type { AcceptedValue } from './input-files.service.js';
import { NewRunsService, type StartRun } from './new-runs.service.js';
import { draftTrigger } from '../records/evaluated-case.js';
import { RunStore } from '../store/run.store.js';
import { RunQueriesService } from '../read/run-queries.service.js';
import type { RunMode } from '../records/run-status.js';

export type StartRefusal = Extract<
  CreationVerdict['verdict'],
  'stopped' | 'not_found' | 'archived' | 'version_unknown' | 'conflict'
>;

export interface StartDraftRun extends Pick<
  StartRun,
  'workspaceId' | 'initiator' | 'input' | 'idempotency' | 'caller' | 'files'
> {
  definition: DefinitionSource;
  /** The run uses them and makes no such call. */
  mock?: JsonObject;
  narrowedKey?: string | null;
}

@Injectable()
export class RunIntakeService {
  constructor(
    private readonly versions: CompiledVersionsService,
    private readonly store: RunStore,
    private readonly queries: RunQueriesService,
    private readonly queue: JobQueueService,
    private readonly backpressure: BackpressureService,
    private readonly newRuns: NewRunsService,
    private readonly drafts: DraftAgentsService,
    private readonly promotions: PromotionsService,
  ) {}

  /**
   * When the promise resolves, the run is committed.
   * @throws DomainError `input_invalid`, `unknown_reference` (version), `test_key_production_mode`, `agent_archived`,
   * `workspace_stopped`, `idempotency_key_reused`, `idempotency_in_progress`, `not_found`, `rate_limited` (the queue is
   * full or the concurrency limit is reached), `budget_exceeded` (daily budget), `unavailable`, and the errors of
   * {@link PromotionsService.admitRun}
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

  /**
   * Creates an agent for the definition, and starts a run of this agent in mode `test`. Retention deletes both after 24
   * hours. If the run is rejected, retention deletes the agent too.
   * @throws DomainError the errors of {@link DraftAgentsService.read} and {@link startRun}
   */
  async startDraft({
    definition,
    mock = {},
    narrowedKey = null,
    ...request
  }: StartDraftRun): Promise<{ run: RunEntity; replayed: boolean }> {
    const { workspaceId, initiator } = request;
    const earlier = await this.acceptedEarlier(request);
    if (earlier) return earlier;
    this.backpressure.admitRun(workspaceId);
    if (narrowedKey !== null) this.drafts.assertUsesNoGrants(definition);
    const draft = await this.drafts.read(workspaceId, definition);
    assertMocksKnown(draft.compiled, mock);
    const { files, stored, ...accepted } = await this.acceptedInput(draft.compiled, request);
    const agentId = await this.drafts.create({ workspaceId, email: initiator.email }, draft, narrowedKey);
    const trigger = Object.keys(mock).length === 0 ? {} : { trigger: draftTrigger(mock) };
    const start = { ...request, ...trigger, input: accepted.value, files, agentId } as const;
    return this.discardingUnlessStarted({ workspaceId, stored }, () =>
      this.startRun({ ...start, version: 1, mode: 'test', isDraft: true }),
    );
  }

  /**
   * If the run is already cancelled, nothing changes.
   * @throws DomainError `not_found`, `run_not_cancellable`
   */
  async cancelRun(
    workspaceId: string,
    runId: string,
    by: { reason: string | null; actor: string },
  ): Promise<RunEntity> {
    const verdict = isId('run', runId) ? await this.store.cancel(workspaceId, runId, by) : 'not_found';
    if (verdict === 'not_found') throw notFound('run', runId);
    const run = await this.queries.get(workspaceId, runId);
    if (verdict !== 'ended') return run;
    const detail = `The run has ended as ${run.status}; only a run that has not ended can be cancelled.`;
    throw new DomainError('run_not_cancellable', detail, { extensions: { run_status: run.status } });
  }

  /**
   * The caller must first check that the queue is not full ({@link BackpressureService.refusal}).
   * @throws DomainError the errors of {@link startRun}, except those that only the commit can find
   */
  async prepareRun(request: StartRun): Promise<Creation> {
    this.backpressure.requireStorage();
    return (await this.prepare(request, newId('run'), modeOf(request))).creation;
  }

  /** Enqueues nothing if so many runs of the workspace wait that workers find the run even without a job. */
  announceRun(workspaceId: string, runId: string): void {
    if (!this.backpressure.hasBacklog(workspaceId)) this.queue.enqueue(executeRun, { runId });
  }

  private async accept(request: StartRun, mode: RunMode): Promise<{ run: RunEntity; replayed: boolean }> {
    this.backpressure.admitRun(request.workspaceId);
    const id = newId('run');
    return this.versions.withProduction(request.workspaceId, request.agentId, async () => {
      const { creation, stored } = await this.prepare(request, id, mode);
      const { workspaceId } = request;
      const started = await this.discardingUnlessStarted({ workspaceId, stored }, async () => {
        const verdict = await afterEqualRequest('idempotency_keys', this.store.create(creation));
        if (verdict.verdict === 'version_changed') return { changed: verdict.verdict, replayed: true } as const;
        return this.answer(request, creation, verdict);
      });
      return 'changed' in started ? started.changed : started;
    });
  }

  /** Deletes the files that were stored for the input, unless a new run refers to them. */
  private async discardingUnlessStarted<T extends { replayed: boolean }>(
    { workspaceId, stored }: { workspaceId: string; stored: readonly string[] },
    start: () => Promise<T>,
  ): Promise<T> {
    let isStarted = false;
    try {
      const started = await start();
      isStarted = !started.replayed;
      return started;
    } finally {
      if (!isStarted) await this.newRuns.inputs.discard(workspaceId, stored);
    }
  }

  private async prepare(
    request: StartRun,
    id: string,
    mode: RunMode,
  ): Promise<{ creation: Creation; stored: readonly string[] }> {
    const { version, definition, agentName, isProduction } = await this.resolveVersion(request);
    if (mode === 'production' && !isProduction) await this.admitVersion(request, id, version);
    const { value: input, files, stored } = await this.acceptedInput(definition, request);
    const prepared = { id, mode, version, definition, agentName };
    const creation = await this.newRuns.prepareWithinBudget({ ...request, input, files }, prepared);
    return { creation, stored };
  }

  /** Returns the input with its files and its defaults. @throws DomainError `input_invalid` and the errors of files */
  private async acceptedInput(
    definition: CompiledDefinition,
    { workspaceId, input, caller, files: known }: Pick<StartRun, 'workspaceId' | 'input' | 'caller' | 'files'>,
  ): Promise<AcceptedValue> {
    const offered = { workspaceId, member: 'input', value: input, schema: definition.input?.schema };
    const source = { type: 'upload' } as const;
    const accepted = await this.newRuns.inputs.accept({
      ...offered,
      caller: caller ?? null,
      source,
      ...(known && { known }),
    });
    try {
      return { ...accepted, value: completeInput(definition, accepted.value, accepted.files) };
    } catch (error) {
      await this.newRuns.inputs.discard(workspaceId, accepted.stored);
      throw error;
    }
  }

  /**
   * If an earlier request with the same idempotency key and the same body started a run, returns this run.
   * @throws DomainError `idempotency_key_reused` if the earlier request had another body
   */
  private async acceptedEarlier({
    workspaceId,
    idempotency,
  }: Pick<StartRun, 'workspaceId' | 'idempotency'>): Promise<{ run: RunEntity; replayed: true } | undefined> {
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
        this.announceRun(request.workspaceId, verdict.runId);
        return { run: acceptedRun({ createdAt: verdict.createdAt, ...creation }), replayed: false };
      case 'replayed':
        return { run: acceptedRun(await this.queries.get(request.workspaceId, verdict.runId)), replayed: true };
      case 'key_reused':
        throw keyReused();
      case 'stopped':
      case 'not_found':
      case 'archived':
      case 'version_unknown':
      case 'conflict':
        throw startRefusal(verdict.verdict, creation);
    }
  }

  /** Rejects a version in mode `production` that was never promoted, unless the caller could promote it. */
  private async admitVersion(request: StartRun, runId: string, version: number): Promise<void> {
    const { workspaceId, agentId, initiator, idempotency } = request;
    // A repeated request gets the run that it started before, so its version needs no second admission.
    if (idempotency && (await this.store.acceptedAs(workspaceId, idempotency))) return;
    const { email, mayPromote = false } = initiator;
    await this.promotions.admitRun({ workspaceId, email }, { runId, agentId, version, mayPromote });
  }

  private async resolveVersion(
    request: StartRun,
  ): Promise<{ version: number; definition: CompiledDefinition; agentName: string; isProduction: boolean }> {
    const { workspaceId, agentId, version } = request;
    const production = await this.versions.production(workspaceId, agentId);
    // The name of an agent is the name in the definition of its production version.
    const { name: agentName } = production.definition;
    const isProduction = version === undefined || version === production.version;
    if (version === undefined) return { ...production, agentName, isProduction };
    try {
      return { version, definition: await this.versions.get(workspaceId, agentId, version), agentName, isProduction };
    } catch (error) {
      throw error instanceof DomainError && error.code === 'not_found' ? unknownVersion(version) : error;
    }
  }
}

/** @throws DomainError `input_invalid` */
function assertMocksKnown({ operations }: CompiledDefinition, mock: JsonObject): void {
  const errors = Object.keys(mock).flatMap((name) => {
    if (operations.has(name)) return [];
    const suggestion = didYouMean(name, operations.keys());
    const detail = `The definition has no operation \`${name}\`.`;
    return [{ pointer: jsonPointer(['mock', name]), detail, ...(suggestion !== undefined && { suggestion }) }];
  });
  const [first] = errors;
  if (first) throw new DomainError('input_invalid', `\`mock\` is wrong: ${first.detail}`, { errors });
}

function completeInput(definition: CompiledDefinition, input: JsonObject, files: KnownFiles): JsonObject {
  const { value, errors } = definition.input?.complete(input, undefined, files) ?? { value: input, errors: [] };
  if (errors.length === 0) return value;
  const places = errors.map((error) => ({ ...error, pointer: `/input${error.pointer}` }));
  throw new DomainError('input_invalid', `The input does not match the agent's input schema: ${errors[0]!.detail}`, {
    errors: places,
  });
}

/** If a service is unavailable, returns false, because the caller has already waited. */
function isAboutTheRequest(refusal: unknown): boolean {
  return refusal instanceof DomainError && refusal.code !== 'unavailable';
}

export function modeOf({ initiator, mode }: Pick<StartRun, 'initiator' | 'mode'>): RunMode {
  if (initiator.keyKind === 'live') return mode ?? 'production';
  if (mode === 'production') {
    throw new DomainError(
      'test_key_production_mode',
      'A test key starts runs in mode `test` only. Use a live key for production.',
    );
  }
  return 'test';
}

export function startRefusal(verdict: StartRefusal, { agentId, version }: Creation): DomainError {
  switch (verdict) {
    case 'stopped':
      return new DomainError(
        'workspace_stopped',
        'The workspace is stopped. Runs can be started after an admin resumes it.',
      );
    case 'archived':
      return new DomainError('agent_archived', 'The agent is archived and starts no more runs.');
    case 'not_found':
      return notFound('agent', agentId);
    case 'conflict':
      return new DomainError(
        'rate_limited',
        'The agent has as many runs as its `concurrency` allows. Try again later.',
        { retryAfterSeconds: 5 },
      );
    case 'version_unknown':
      return unknownVersion(version);
  }
}

function keyReused(): DomainError {
  const detail = 'This Idempotency-Key was used with another body. Use a new key for a new run.';
  return new DomainError('idempotency_key_reused', detail);
}

function unknownVersion(version: number): DomainError {
  const detail = `The agent has no version ${version}. List its versions with GET /v1/agents/{id}/versions.`;
  return new DomainError('unknown_reference', detail, { errors: [{ pointer: '/version', detail }] });
}
