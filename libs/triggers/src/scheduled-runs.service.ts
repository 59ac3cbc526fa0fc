import { CompiledVersionsService } from '@app/agents';
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

export type RunNow = Pick<StartRun, 'workspaceId' | 'agentId' | 'initiator' | 'idempotency'> & { triggerId: string };

const HOUR = 3_600_000;
/** If a schedule is changed and changed back, a used fire time can become due again. */
const KEEP_FIRED_MILLIS = 168 * HOUR;

@Injectable()
export class ScheduledRunsService {
  constructor(
    private readonly triggers: TriggerIntakeService,
    private readonly versions: CompiledVersionsService,
    private readonly queries: RunQueriesService,
    private readonly clock: Clock,
    @Inject(idempotencyConfig.KEY) private readonly config: IdempotencyConfig,
  ) {}

  /** A second call with the same fire time starts no run. */
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
   * Does not change the next fire time.
   * @throws DomainError `not_found`, `invalid_request` (a trigger of another type), `input_invalid`,
   * `idempotency_key_reused`, `idempotency_in_progress`, `agent_archived`, `workspace_stopped`, `rate_limited`
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

/**
 * Implements `overlap: queue`: replaces the agent's concurrency key by a key that all runs of the schedule share. Only
 * one run with this key executes at a time.
 */
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
  const detail = `Trigger ${JSON.stringify(id)} is not a schedule. Only the run of a schedule can be started on request.`;
  throw new DomainError('invalid_request', detail);
}
