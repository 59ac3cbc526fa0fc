import { Inject, Injectable } from '@nestjs/common';
import { CompiledVersionsService } from '@app/agents';
import type { CompiledDefinition, KnownFiles } from '@app/definition';
import { type FileEntity, type FileSource, RunFilesService } from '@app/files';
import {
  DomainError,
  type ErrorPlace,
  invariant,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  newId,
} from '@app/kernel';
import { JobQueueService } from '@app/platform/queue';
import {
  acceptedRun,
  type RunIntakeConfig,
  runIntakeConfig,
  BackpressureService,
  NewRunsService,
  executeRun,
  type RunEntity,
  type RunMode,
} from '@app/runs';
import {
  completed,
  loggedTurnDown,
  decide,
  type EventContent,
  type EventRule,
  type Start,
  type TurnDown,
} from './trigger-decision.js';
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

/** Files that the service has stored for an event. The receiver deletes them if no run starts. */
export interface EventFiles {
  files: ReadonlyMap<string, FileEntity>;
  /** Members that the service adds to the objects of the event that describe files. */
  added: readonly string[];
}

export interface ArrivedEvent extends EventContent {
  workspaceId: string;
  agentId: string;
  /** Returns the rules that may handle the event, in order. The first rule whose filter is true handles the event. */
  rulesOf(definition: CompiledDefinition): readonly EventRule[];
  identity: EventIdentity | null;
  secretHash?: Buffer;
  /** Set if a person requested the run. The run then starts even if the agent is paused. */
  byHand?: { initiator: string; mode: RunMode };
  found?: FoundMail;
  arrived?: EventFiles;
  /** Set if the event cannot start a run now: the quota of files is exhausted. A repeated event gets its earlier outcome. */
  refusal?: DomainError | undefined;
}

/** The source of files that the content of an event contains. */
const SOURCES: Readonly<Record<EventRule['type'], FileSource>> = {
  webhook: 'form',
  'email.received': 'email',
  poll: 'tool',
  schedule: 'upload',
};

/**
 * After `started`, `duplicate`, `filtered`, `refused` and `error`, the sender need not repeat the event. After `busy`,
 * `stopped` and `paused`, the sender may repeat the event.
 */
export type EventOutcome =
  | { outcome: 'started'; triggerId: string; run: RunEntity }
  | { outcome: 'duplicate'; triggerId: string; runId: string | null }
  /**
   * The pointers in `errors` refer to the document that arrived. Pointers that begin with `/input` refer to the result
   * of the trigger's `map`.
   */
  | {
      outcome: TurnDown['kind'];
      triggerId: string;
      reason: string;
      errors: readonly ErrorPlace[];
    }
  /**
   * `busy`: the agent has as many runs as its `concurrency` allows. `key_reused`: another event had this key.
   * `secret_changed`: the secret was replaced after it had been checked. `unknown`: the agent does not exist, or its
   * production version has no such trigger.
   */
  | { outcome: 'busy' | 'key_reused' | 'secret_changed' | 'unknown' | 'archived' | 'stopped' | 'paused' };

interface Asked {
  version: number;
  rule: EventRule;
  decision: EventDecision;
  logged: EventDecision;
  /** Files that were stored for the input. */
  stored: readonly string[];
}

interface OfferedTo {
  version: number;
  definition: CompiledDefinition;
  rule: EventRule;
}

type EventDecision = Exclude<DecidedEvent['decision'], TurnedAway>;

interface Committed<Verdict> {
  decided: DecidedEvent;
  rule: EventRule;
  verdict: Verdict;
}

/** Processes events with the production version: computes the outcome, commits it, and then enqueues the run. */
@Injectable()
export class TriggerIntakeService {
  constructor(
    private readonly versions: CompiledVersionsService,
    private readonly newRuns: NewRunsService,
    private readonly events: TriggerEventStore,
    private readonly queue: JobQueueService,
    private readonly backpressure: BackpressureService,
    private readonly files: RunFilesService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /**
   * A repeated event gets its earlier outcome, even while the queue is full. When the method returns `started`, the run
   * is committed. The caller must not acknowledge the event earlier.
   */
  async take(event: ArrivedEvent): Promise<EventOutcome> {
    this.backpressure.requireStorage();
    const refusal = event.refusal ?? this.backpressure.refusal(event.workspaceId);
    if (refusal) return this.turnAway(event, refusal);
    try {
      return this.outcomeOf(event, await this.commit(event, (decided) => this.events.take(decided)));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'file_quota_exceeded') throw error;
      return this.turnAway(event, error);
    }
  }

  private async turnAway(event: ArrivedEvent, refusal: DomainError): Promise<EventOutcome> {
    const committed = await this.commit({ ...event, refusal }, (decided) =>
      this.events.take({ ...decided, decision: turnedAway(refusal) }),
    );
    if (committed?.verdict.verdict === 'rate_limited') throw refusal;
    return this.outcomeOf(event, committed);
  }

  /**
   * If the method throws or the workspace is stopped, the schedule becomes due again. The run starts even if the queue
   * is full, because no sender would repeat the fire time.
   */
  async fire(event: ArrivedEvent, slot: FireSlot): Promise<void> {
    this.backpressure.requireStorage();
    const committed = await this.commit(event, (decided) => this.events.fire(decided, slot));
    if (committed?.verdict.verdict === 'started') this.queue.enqueue(executeRun, { runId: committed.verdict.runId });
  }

  /** Computes the outcome again if the production version changes before the commit. */
  private async commit<Verdict extends FireVerdict>(
    event: ArrivedEvent,
    write: (decided: DecidedEvent) => Promise<Verdict>,
  ): Promise<Committed<Verdict> | undefined> {
    const { workspaceId, agentId } = event;
    return this.versions.withProduction(workspaceId, agentId, async () => {
      const asked = await this.ask(event);
      if (!asked) return undefined;
      const decided = decidedEvent(event, asked);
      const verdict = await this.files.keepingReferred(workspaceId, asked.stored, () =>
        write({ ...decided, decision: asked.logged }),
      );
      return verdict.verdict === 'version_changed' ? verdict.verdict : { decided, rule: asked.rule, verdict };
    });
  }

  private async ask(event: ArrivedEvent): Promise<Asked | undefined> {
    const { version, definition } = await this.versions.production(event.workspaceId, event.agentId);
    const [first, ...others] = event.rulesOf(definition);
    if (!first) return undefined;
    const { rule, ...decided } = decide(definition, [first, ...others], event, this.config.maxInputBytes);
    const offered = { version, definition, rule };
    const { stored, ...drafted } =
      decided.kind === 'start' ? await this.accept(event, decided, offered) : { decision: decided, stored: [] };
    const decision = rule.map && drafted.decision.kind !== 'start' ? aboutMapped(drafted.decision) : drafted.decision;
    return {
      version,
      rule,
      decision,
      logged: decision.kind === 'start' ? decision : loggedTurnDown(decision, definition),
      stored,
    };
  }

  /**
   * No person has sent the event, so an id in it proves nothing: only the files that arrived with it become references.
   * Inline content below the keyword `file` is stored.
   */
  private async accept(
    event: ArrivedEvent,
    start: Start<JsonValue>,
    offered: OfferedTo,
  ): Promise<{ decision: EventDecision; stored: readonly string[] }> {
    const { definition, rule } = offered;
    const { files: known = new Map<string, FileEntity>(), added = [] } = event.arrived ?? {};
    if (!isJsonObject(start.input) || event.refusal)
      return { decision: this.complete(event, start, offered), stored: [] };
    try {
      const { value, files, stored } = await this.newRuns.inputs.accept({
        workspaceId: event.workspaceId,
        member: 'input',
        value: start.input,
        schema: definition.input?.schema,
        caller: null,
        known,
        added: (object) => (describesFile(object, known) ? added : []),
        source: { type: SOURCES[rule.type] },
      });
      return { decision: this.complete(event, { ...start, input: value }, offered, files), stored };
    } catch (error) {
      if (!(error instanceof DomainError) || !UNSTORABLE.has(error.code)) throw error;
      return { decision: { kind: 'refused', reason: error.message, errors: error.errors }, stored: [] };
    }
  }

  private complete(
    event: ArrivedEvent,
    start: Start<JsonValue>,
    offered: OfferedTo,
    files?: ReadonlyMap<string, FileEntity> & KnownFiles,
  ): EventDecision {
    const decision = completed(offered.definition, start, files);
    return decision.kind === 'start' ? this.draft(event, decision, offered, files) : decision;
  }

  private draft(
    { workspaceId, agentId, byHand }: ArrivedEvent,
    { input, trigger }: Start,
    { version, definition, rule }: OfferedTo,
    files: ReadonlyMap<string, FileEntity> | undefined,
  ): EventDecision {
    const { mode = 'production', initiator = null } = byHand ?? {};
    const request = {
      workspaceId,
      agentId,
      initiator: initiator === null ? null : { email: initiator },
      input,
      trigger,
      files,
    };
    try {
      const run = this.newRuns.prepare(request, { id: newId('run'), mode, version, definition });
      return { kind: 'start', run: rule.adapt ? { ...run, rules: rule.adapt(run.rules) } : run };
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'input_invalid') throw error;
      return { kind: 'refused', reason: error.message, errors: error.errors };
    }
  }

  private outcomeOf({ workspaceId }: ArrivedEvent, committed: Committed<EventVerdict> | undefined): EventOutcome {
    if (!committed) return { outcome: 'unknown' };
    const { decided, verdict } = committed;
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
        throw new DomainError(
          'internal_error',
          `The trigger event got the unexpected verdict ${verdict.verdict}. Report this defect of the service.`,
        );
      default:
        return { outcome: verdict.verdict };
    }
  }
}

/** The sender cannot repeat such an event with success. */
const UNSTORABLE: ReadonlySet<string> = new Set(['file_too_large', 'file_refused', 'input_invalid']);

/** A file that could not be stored has no id, but a status. */
function describesFile({ file, status }: JsonObject, files: ReadonlyMap<string, FileEntity>): boolean {
  return typeof file === 'string' ? files.has(file) : file === null && typeof status === 'string';
}

/** The prefix `/input` shows that a pointer points into the result of `map`, and not into the document that arrived. */
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
