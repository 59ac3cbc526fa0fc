import { CompiledVersions } from '@app/agents';
import type { CompiledDefinition, ScheduleTrigger } from '@app/definition';
import { Clock, DomainError, notFound } from '@app/kernel';
import { afterEqualRequest, type IdempotencyConfig, idempotencyConfig } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { acceptedRun } from '@app/runs';
import type { QueueRules } from '@app/runs';
import { RunQueriesService } from '@app/runs';
import type { RunEntity } from '@app/runs';
import type { StartRun } from '@app/runs';
import { eventRefusal } from './event-refusal.js';
import type { DueSchedule, FireDecision } from './fire-decision.js';
import type { EventRule } from './trigger-decision.js';
import { type ArrivedEvent, TriggerIntakeService } from './trigger-intake.service.js';

/** Somebody wants a schedule to start its run now. */
export type RunNow = Pick<StartRun, 'workspaceId' | 'agentId' | 'initiator' | 'idempotency'> & { triggerId: string };

const HOUR = 3_600_000;
/** That a fire time is used up is known anyway; this is for a schedule that is changed to and fro. */
const KEEP_FIRED_MILLIS = 168 * HOUR;

/** Runs of schedules: at their fire times, and when a person wants one. */
@Injectable()
export class ScheduledRunsService {
  constructor(
    private readonly triggers: TriggerIntakeService,
    private readonly versions: CompiledVersions,
    private readonly queries: RunQueriesService,
    private readonly clock: Clock,
    @Inject(idempotencyConfig.KEY) private readonly config: IdempotencyConfig,
  ) {}

  /** Uses a fire time up, with the version that is in production now. What comes of it stands in the trigger log. */
  async fire(
    { workspaceId, agentId, triggerId, fireAt, generation }: DueSchedule,
    { at, next }: Extract<FireDecision, { kind: 'fire' }>,
  ): Promise<void> {
    const event: ArrivedEvent = {
      workspaceId,
      agentId,
      ...occurrence(triggerId, at),
      rulesOf: (definition) => schedules(definition, triggerId).map(inTurn),
      identity: {
        key: `schedule:${triggerId}:${at.toISOString()}`,
        fingerprint: null,
        keepMillis: KEEP_FIRED_MILLIS,
      },
    };
    await this.triggers.fire(event, { expected: fireAt, generation, next });
  }

  /**
   * Starts the run of a schedule now, whatever it overlaps with and although its agent is paused; the schedule goes on as before.
   * @throws DomainError `not_found`, `invalid_request` (a trigger of another type), `input_invalid`, `idempotency_key_reused`, `idempotency_in_progress`,
   *   `agent_archived`, `workspace_stopped`, `rate_limited`
   */
  async runNow({
    workspaceId,
    agentId,
    triggerId,
    initiator,
    idempotency,
  }: RunNow): Promise<{ run: RunEntity; replayed: boolean }> {
    const { definition } = await this.versions.production(workspaceId, agentId);
    assertSchedule(definition, triggerId);
    const taken = this.triggers.take({
      workspaceId,
      agentId,
      ...occurrence(triggerId, this.clock.now()),
      identity: idempotency
        ? {
            key: `run-now:${triggerId}:${idempotency.key}`,
            fingerprint: idempotency.fingerprint,
            keepMillis: this.config.idempotencyMillis,
          }
        : null,
      byHand: { initiator: initiator.email, mode: initiator.keyKind === 'test' ? 'test' : 'production' },
    });
    const outcome = await afterEqualRequest('trigger_receipts', taken);
    if (outcome.outcome === 'started') return { run: outcome.run, replayed: false };
    if (outcome.outcome === 'duplicate' && outcome.runId !== null)
      return { run: acceptedRun(await this.queries.get(workspaceId, outcome.runId)), replayed: true };
    if (outcome.outcome === 'unknown') throw notFound('trigger', triggerId);
    throw eventRefusal(outcome);
  }
}

/** What a fire time is to the rules: nothing but its time. */
function occurrence(triggerId: string, at: Date): Pick<ArrivedEvent, 'rulesOf' | 'scope' | 'input' | 'facts'> {
  return {
    rulesOf: (definition) => schedules(definition, triggerId).map(scheduleRule),
    scope: {},
    input: {},
    facts: { fire_at: at.toISOString() },
  };
}

function schedules({ triggers }: CompiledDefinition, id: string): ScheduleTrigger[] {
  return triggers.filter((trigger) => trigger.kind === 'schedule').filter((trigger) => trigger.id === id);
}

function scheduleRule({ id, input }: ScheduleTrigger): EventRule {
  return { id, type: 'schedule', filter: null, map: input };
}

function inTurn(schedule: ScheduleTrigger): EventRule {
  const rule = scheduleRule(schedule);
  return schedule.overlap === 'queue' ? { ...rule, adapt: oneAfterTheOther(schedule.id) } : rule;
}

/** `overlap: queue` is a limit of its own, in the place of the agent's limit by key: the runs of one schedule share a key. */
function oneAfterTheOther(id: string): (rules: QueueRules) => QueueRules {
  return ({ queueTtlMs, concurrency }) => ({
    queueTtlMs,
    concurrency: { max: concurrency?.max ?? null, key: `schedule:${id}`, maxPerKey: 1, rejectConflict: false },
  });
}

function assertSchedule({ triggers }: CompiledDefinition, id: string): void {
  const trigger = triggers.find((each) => each.id === id);
  if (!trigger) throw notFound('trigger', id);
  if (trigger.kind === 'schedule') return;
  const detail = `Only a schedule can be run now; ${JSON.stringify(id)} waits for something to arrive.`;
  throw new DomainError('invalid_request', detail);
}
