import { CompiledVersionsService } from '@app/agents';
import { type CompiledDefinition, ExpressionError, type PollTrigger } from '@app/definition';
import { DomainError, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { StandaloneReadsService, type StandaloneReadResult, WorkerLeaseService } from '@app/runs';
import { Injectable } from '@nestjs/common';
import { TriggerIntakeService } from '../trigger-intake.service.js';
import { type BegunPoll, type ClaimedPoll, KEEP_KEY_MILLIS, type PollOutcome, PollStore } from './poll.store.js';
import { fingerprintOf, PollFailure, type PolledItem, polledItems } from './polled-items.js';

const MAX_RUNS = 1_000;
const MAX_REASON = 500;

interface OpenPoll {
  poll: ClaimedPoll;
  worker: string;
  begun: BegunPoll;
  trigger: PollTrigger;
  definition: CompiledDefinition;
  signal: AbortSignal;
}

/**
 * The commit that starts a run also stores the key, so a key starts only one run, even if workers poll concurrently or
 * crash.
 */
@Injectable()
export class PollsService {
  constructor(
    private readonly store: PollStore,
    private readonly versions: CompiledVersionsService,
    private readonly reads: StandaloneReadsService,
    private readonly triggers: TriggerIntakeService,
    private readonly lease: WorkerLeaseService,
  ) {}

  /** Records the outcome, unless `signal` aborts; the poll then stays due. */
  async poll(poll: ClaimedPoll, worker: string, signal: AbortSignal): Promise<void> {
    const permission = this.lease.startPermission();
    const begun = await this.store.begin(poll, worker);
    const found = begun && (await this.declared(poll, begun.version));
    if (!begun || !found) return this.store.release(poll, worker);
    const open = { poll, worker, begun, signal, ...found };
    const mayStart = (): boolean => !signal.aborted && permission();
    const outcome = await this.outcomeOf(open, mayStart);
    if (!outcome || signal.aborted) return this.store.release(poll, worker);
    const next = new Date(begun.beganAt.getTime() + found.trigger.everyMs);
    await this.store.end(poll, worker, { began: begun.beganAt, next }, outcome);
  }

  private async declared(
    { workspaceId, agentId, triggerId }: ClaimedPoll,
    version: number,
  ): Promise<{ trigger: PollTrigger; definition: CompiledDefinition } | undefined> {
    const cached = await this.versions.production(workspaceId, agentId);
    if (cached.version !== version) this.versions.invalidateProduction(workspaceId, agentId);
    const definition = await this.versions.get(workspaceId, agentId, version);
    const trigger = pollsOf(definition).find(({ id }) => id === triggerId);
    return trigger && { trigger, definition };
  }

  private async outcomeOf(open: OpenPoll, mayStart: () => boolean): Promise<PollOutcome | undefined> {
    try {
      const result = await this.call(open, mayStart);
      if (result.kind === 'not_started') return undefined;
      if (result.kind === 'failed') throw new PollFailure(result.message);
      return await this.take(open, result.output);
    } catch (error) {
      if (!(error instanceof PollFailure)) throw error;
      return { error: `The poll failed: ${error.message}`.slice(0, MAX_REASON).toWellFormed() };
    }
  }

  private call(open: OpenPoll, mayStart: () => boolean): Promise<StandaloneReadResult> {
    const { poll, begun, trigger, definition, signal } = open;
    const { workspaceId, agentId, triggerId } = poll;
    const began = begun.beganAt.toISOString();
    const facts = { type: 'poll', id: triggerId };
    return this.reads.read(definition, {
      workspaceId,
      operation: trigger.operation,
      request: requestOf(open, facts),
      facts: {
        input: {},
        trigger: facts,
        run: { id: null, mode: 'production', started_at: began, initiator: null },
        agent: { id: agentId, name: definition.name, version: begun.version },
      },
      idempotencyKey: `${agentId}/${triggerId}/${began}`,
      origin: { runId: `${agentId}/${triggerId}`, step: 'poll', epoch: begun.epoch, attempt: 1 },
      signal,
      mayStart,
    });
  }

  private async take(open: OpenPoll, output: JsonValue): Promise<PollOutcome> {
    const { poll, worker, begun, trigger } = open;
    const { items, problem } = await polledItems(trigger, output);
    const fingerprint = fingerprintOf(trigger);
    if (begun.remembered !== fingerprint) {
      const old = items.slice(trigger.backfill).map(({ receipt }) => receipt);
      if (!(await this.store.remember(poll, worker, fingerprint, old))) return { isComplete: false };
    }
    const unseen = await this.store.unseen(
      poll,
      items.map(({ receipt }) => receipt),
    );
    const fresh = items.filter(({ receipt }) => unseen.has(receipt));
    const isComplete = await this.startAll(open, fresh, output);
    const failure = problem ?? unreadRows(open, output);
    if (failure !== null) throw new PollFailure(failure);
    return { isComplete };
  }

  /** Returns false if items are left for the next poll. */
  private async startAll(open: OpenPoll, items: readonly PolledItem[], output: JsonValue): Promise<boolean> {
    let started = 0;
    for (const item of items) {
      if (open.signal.aborted || started === MAX_RUNS) return false;
      const result = await this.start(open, item, output);
      if (result === 'later') return false;
      if (result === 'started') started++;
    }
    return true;
  }

  private async start(
    { poll: { workspaceId, agentId, triggerId }, trigger }: OpenPoll,
    { key, receipt, value }: PolledItem,
    output: JsonValue,
  ): Promise<'started' | 'seen' | 'later'> {
    const fingerprint = fingerprintOf(trigger);
    try {
      const { outcome } = await this.triggers.take({
        workspaceId,
        agentId,
        rulesOf: (definition) =>
          pollsOf(definition)
            .filter((each) => each.id === triggerId && fingerprintOf(each) === fingerprint)
            .map(({ id, filter, map }) => ({ id, type: 'poll', filter, map })),
        identity: { key: receipt, fingerprint: null, keepMillis: KEEP_KEY_MILLIS },
        scope: { item: value, output },
        input: value,
        facts: { key },
      });
      if (outcome === 'started') return 'started';
      return DECIDED.has(outcome) ? 'seen' : 'later';
    } catch (error) {
      if (error instanceof DomainError && error.code === 'rate_limited') return 'later';
      throw error;
    }
  }
}

/** Outcomes without a new run after which the key of the item is stored, so that later polls ignore the item. */
const DECIDED: ReadonlySet<string> = new Set(['duplicate', 'filtered', 'refused', 'error']);

function unreadRows({ definition, trigger }: OpenPoll, output: JsonValue): string | null {
  const tool = definition.operations.get(trigger.operation)?.tool;
  const kind = tool === undefined ? undefined : definition.tools.get(tool)?.kind;
  const isSql = kind === 'postgres' || kind === 'mysql';
  if (!isSql || !isJsonObject(output) || output.truncated !== true) return null;
  return 'The statement returned more rows than `max_rows` or `MAX_RECORDED_BYTES` permits, so the last rows were not read. Select only new rows with `poll.last_at`, or raise `max_rows`.';
}

function pollsOf({ triggers }: CompiledDefinition): PollTrigger[] {
  return triggers.filter((trigger) => trigger.kind === 'poll');
}

/** @throws PollFailure if `with` cannot be computed */
function requestOf({ begun, trigger }: OpenPoll, facts: JsonObject): JsonObject {
  try {
    const request = trigger.with.evaluate({ poll: { last_at: begun.lastAt?.toISOString() ?? null }, trigger: facts });
    if (isJsonObject(request)) return request;
    throw new PollFailure('`with` of the trigger must be an object.');
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new PollFailure(`\`with\` of the trigger cannot be computed: ${error.message}`, { cause: error });
  }
}
