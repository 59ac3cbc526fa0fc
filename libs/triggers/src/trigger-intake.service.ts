import { CompiledVersions } from '@app/agents';
import type { CompiledDefinition } from '@app/definition';
import { DomainError, type ErrorPlace, invariant, newId } from '@app/kernel';
import { JobQueueService } from '@app/platform/queue';
import { Inject, Injectable } from '@nestjs/common';
import { acceptedRun, type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { BackpressureService } from '@app/runs';
import { NewRunsService } from '@app/runs';
import { executeRun } from '@app/runs';
import type { RunEntity } from '@app/runs';
import type { RunMode } from '@app/runs';
import { loggedTurnDown } from './logged-turn-down.js';
import { decide, type EventContent, type EventRule, type Start, type TurnDown } from './trigger-decision.js';
import {
  type DecidedEvent,
  type EventIdentity,
  type EventVerdict,
  type FireSlot,
  type FireVerdict,
  type FoundMail,
  type TurnedAway,
  TriggerEventStore,
} from './trigger-event.store.js';

// How often the production version may move between reading it and committing before the sender is told to come again.
const MAX_PROMOTIONS_SEEN = 3;

/** Something that arrived for an agent: a webhook's delivery, an e-mail. */
export interface ArrivedEvent extends EventContent {
  workspaceId: string;
  agentId: string;
  /** The triggers of a definition that it could be for, in order; the first that does not ignore it takes it. */
  rulesOf(definition: CompiledDefinition): readonly EventRule[];
  /** Null where nothing tells it from another one with the same content. */
  identity: EventIdentity | null;
  /** SHA-256 of the webhook secret that its sender proved to know; null where that is no question. */
  secretHash?: Buffer;
  /** A person wants it now: a paused agent does not matter, and the run is theirs. */
  byHand?: { initiator: string; mode: RunMode };
  /** Where it was found in a watched folder: what decides about it moves the watch past it in the same commit. */
  found?: FoundMail;
}

/**
 * What became of it. After `started`, `duplicate`, `filtered`, `refused` and `error` it has been dealt with and stands in the
 * trigger log; `busy` stands there, too. The others wrote nothing, and after `busy`, `stopped` and `paused` the event may come again.
 */
export type EventOutcome =
  | { outcome: 'started'; triggerId: string; run: RunEntity }
  /** Decided before; `runId` null: it was filtered then. */
  | { outcome: 'duplicate'; triggerId: string; runId: string | null }
  /** The pointers of `errors` lead into what arrived, or below `/input` into what the trigger's `map` made of it. */
  | {
      outcome: TurnDown['kind'];
      triggerId: string;
      reason: string;
      errors: readonly ErrorPlace[];
    }
  /**
   * busy: the agent has as many runs as its `concurrency` allows. key_reused: another event had this key. secret_changed: the
   * secret has been replaced since it was checked. unknown: no such agent, or its production version has no such trigger.
   */
  | { outcome: 'busy' | 'key_reused' | 'secret_changed' | 'unknown' | 'archived' | 'stopped' | 'paused' };

/** What the production version wants with an event. */
interface Asked {
  version: number;
  rule: EventRule;
  decision: EventDecision;
  /** The same for the log. */
  logged: EventDecision;
}

type EventDecision = Exclude<DecidedEvent['decision'], TurnedAway>;

interface Committed<Verdict> {
  decided: DecidedEvent;
  rule: EventRule;
  verdict: Verdict;
}

/** Takes what arrives for triggers: asks the production version, commits, and rings the bell after the commit. */
@Injectable()
export class TriggerIntakeService {
  constructor(
    private readonly versions: CompiledVersions,
    private readonly newRuns: NewRunsService,
    private readonly events: TriggerEventStore,
    private readonly queue: JobQueueService,
    private readonly backpressure: BackpressureService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /**
   * Decides about an event in one round trip. An event that was decided before is answered so also while the queue is full. Once this returns `started`, the run exists whatever happens to any process:
   * only then may the event be acknowledged.
   * @throws DomainError `rate_limited` (the workspace's queue is full), `unavailable`: the event must come again
   */
  async take(event: ArrivedEvent): Promise<EventOutcome> {
    this.backpressure.requireStorage();
    const refusal = this.backpressure.refusal(event.workspaceId);
    const committed = await this.commit(event, (decided) =>
      this.events.take(refusal ? { ...decided, decision: turnedAway(refusal) } : decided),
    );
    if (!committed) return { outcome: 'unknown' };
    if (refusal && committed.verdict.verdict === 'rate_limited') throw refusal;
    return this.outcome(event, committed);
  }

  /**
   * {@link take} for a fire time of a schedule. Nobody waits for an answer: what came of it stands in the log, and what throws or
   * is stopped is handed out again. A full queue is no reason not to fire, since the fire time would be lost.
   */
  async fire(event: ArrivedEvent, slot: FireSlot): Promise<void> {
    this.backpressure.requireStorage();
    const committed = await this.commit(event, (decided) => this.events.fire(decided, slot));
    if (committed?.verdict.verdict === 'started') this.queue.enqueue(executeRun, { runId: committed.verdict.runId });
  }

  /** Asks the production version until it is still in production at the commit; undefined where it has no trigger for the event. */
  private async commit<Verdict extends FireVerdict>(
    event: ArrivedEvent,
    write: (decided: DecidedEvent) => Promise<Verdict>,
  ): Promise<Committed<Verdict> | undefined> {
    for (let seen = 0; seen < MAX_PROMOTIONS_SEEN; seen++) {
      const asked = await this.ask(event);
      if (!asked) return undefined;
      const decided = decidedEvent(event, asked);
      const verdict = await write({ ...decided, decision: asked.logged });
      if (verdict.verdict !== 'version_changed') return { decided, rule: asked.rule, verdict };
      this.versions.forget(event.workspaceId, event.agentId);
    }
    throw new DomainError('unavailable', 'The production version keeps changing. Try again.', { retryAfterSeconds: 1 });
  }

  /** Undefined where the production version has no trigger for it. */
  private async ask(event: ArrivedEvent): Promise<Asked | undefined> {
    const { version, definition } = await this.versions.production(event.workspaceId, event.agentId);
    const [first, ...others] = event.rulesOf(definition);
    if (!first) return undefined;
    const { rule, ...decided } = decide(definition, [first, ...others], event, this.config.maxInputBytes);
    const drafted =
      decided.kind === 'start' ? this.draft(event, { ...decided, rule }, { version, definition }) : decided;
    const decision = rule.map && drafted.kind !== 'start' ? aboutMapped(drafted) : drafted;
    return {
      version,
      rule,
      decision,
      logged: decision.kind === 'start' ? decision : loggedTurnDown(decision, definition),
    };
  }

  private draft(
    { workspaceId, agentId, byHand }: ArrivedEvent,
    { input, trigger, rule }: Start & { rule: EventRule },
    { version, definition }: { version: number; definition: CompiledDefinition },
  ): EventDecision {
    const { mode = 'production', initiator = null } = byHand ?? {};
    const request = {
      workspaceId,
      agentId,
      initiator: initiator === null ? null : { email: initiator },
      input,
      trigger,
    };
    try {
      const run = this.newRuns.prepare(request, { id: newId('run'), mode, version, definition });
      return { kind: 'start', run: rule.adapt ? { ...run, rules: rule.adapt(run.rules) } : run };
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'input_invalid') throw error;
      return { kind: 'refused', reason: error.message, errors: error.errors };
    }
  }

  private outcome({ workspaceId }: ArrivedEvent, { decided, verdict }: Committed<EventVerdict>): EventOutcome {
    const { triggerId, decision } = decided;
    switch (verdict.verdict) {
      case 'started':
        invariant(decision.kind === 'start', 'only an event that is to start a run starts one');
        if (!this.backpressure.hasBacklog(workspaceId)) this.queue.enqueue(executeRun, { runId: verdict.runId });
        return { outcome: 'started', triggerId, run: acceptedRun({ ...decision.run, createdAt: verdict.createdAt }) };
      case 'duplicate':
        return { outcome: 'duplicate', triggerId, runId: verdict.runId };
      case 'filtered':
      case 'refused':
      case 'error': {
        invariant(decision.kind === verdict.verdict, 'an event is turned down for the reason that was given');
        const { kind: outcome, reason, errors } = decision;
        return { outcome, triggerId, reason, errors };
      }
      case 'conflict':
        return { outcome: 'busy' };
      case 'not_found':
        return { outcome: 'unknown' };
      case 'rate_limited':
      case 'version_changed':
        throw new DomainError('internal_error', 'What the production version decided was committed by another one.');
      default:
        return { outcome: verdict.verdict };
    }
  }
}

/** Its sender and the log are told the same places: what was mapped is not what was sent. */
function aboutMapped(turnDown: TurnDown): TurnDown {
  return { ...turnDown, errors: turnDown.errors.map((error) => ({ ...error, pointer: `/input${error.pointer}` })) };
}

function turnedAway({ message }: DomainError): DecidedEvent['decision'] {
  return { kind: 'rate_limited', reason: message, errors: [] };
}

function decidedEvent(event: ArrivedEvent, { version, rule, decision }: Asked): DecidedEvent {
  const { workspaceId, agentId, identity, byHand, secretHash = null, found = null } = event;
  return {
    id: newId('event'),
    workspaceId,
    agentId,
    triggerId: rule.id,
    type: rule.type,
    version,
    byHand: byHand !== undefined,
    identity,
    secretHash,
    found,
    decision,
  };
}
