import { storableJson } from '@app/kernel';
import { type BatchedStatement, byteaText, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { Creation } from '@app/runs';
import { sqlRules } from '@app/runs';
import type { DeclaredTriggerType } from './trigger.entity.js';
import type { TurnDown } from './trigger-decision.js';
import type { TriggerOutcome } from './trigger-outcome.js';

export interface EventIdentity {
  /** Unique within the agent. */
  key: string;
  /** If null, the key alone identifies the event. */
  fingerprint: Buffer | null;
  keepMillis: number | null;
}

export interface EventEntry {
  id: string;
  workspaceId: string;
  agentId: string;
  triggerId: string;
  type: DeclaredTriggerType;
}

export interface FoundMail {
  worker: string;
  uidValidity: bigint;
  uid: number;
}

export interface DecidedEvent extends EventEntry {
  version: number;
  byHand: boolean;
  identity: EventIdentity | null;
  secretHash: Buffer | null;
  /** Null unless the event is a mail in a watched folder. */
  found: FoundMail | null;
  decision: { kind: 'start'; run: Creation } | TurnDown | TurnedAway;
}

export interface TurnedAway {
  kind: 'rate_limited';
  reason: string;
  errors: readonly [];
}

export type EventVerdict =
  | { verdict: 'started'; runId: string; createdAt: Date }
  | { verdict: 'duplicate'; runId: string | null }
  | {
      verdict:
        | 'filtered'
        | 'refused'
        | 'error'
        | 'rate_limited'
        | 'key_reused'
        | 'conflict'
        | 'secret_changed'
        | 'not_found'
        | 'archived'
        | 'stopped'
        | 'paused';
    }
  /** The caller must decide again with the production version. */
  | { verdict: 'version_changed' };

export interface FireSlot {
  expected: Date | null;
  generation: string;
  next: Date | null;
}

export type FireVerdict = EventVerdict | { verdict: 'superseded' | 'overlap' };

interface VerdictRow<Verdict> {
  verdict: Verdict;
  run_id: string;
  created_at: Date;
}

type EventRow = VerdictRow<EventVerdict['verdict']>;

const TAKE_EVENT: BatchedStatement = {
  name: 'run_machine_take_event',
  text: 'select verdict, run_id, created_at from triggers.take_event($1)',
  batch: {
    name: 'run_machine_take_event_batch',
    text: 'select call, verdict, run_id, created_at from triggers.take_event_batch($1)',
  },
};
/**
 * The commit also moves the cursor of the watch past the mail, if the event is decided and the worker still leases the
 * watch.
 */
const TAKE_FOUND: Statement = {
  name: 'run_machine_take_found',
  text: `with taken as materialized (select verdict, run_id, created_at from triggers.take_event($1::jsonb)),
    moved as (update mailbox_watches w set last_uid = $4::bigint
       where w.agent_id = $1::jsonb ->> 'agent' and w.trigger_id = $1::jsonb ->> 'trigger'
         and w.worker = $2 and w.uid_validity = $3::bigint and w.last_uid < $4::bigint
         and exists (select from taken t where t.verdict in ('started', 'duplicate', 'filtered', 'refused', 'error')))
    select verdict, run_id, created_at from taken`,
};
const FIRE: Statement = {
  name: 'run_machine_fire_schedule',
  text: 'select verdict, run_id, created_at from triggers.fire_schedule($1)',
};
const LOG: Statement = {
  name: 'run_machine_log_trigger_event',
  text: 'select triggers.log_trigger_event($1, $2, $3, $4, $5, $6, $7, null, null, null, null)',
};

const PURGE_RECEIPTS: Statement = {
  name: 'run_machine_purge_receipts',
  text: 'select triggers.purge_receipts($1) as purged',
};

const PURGE_EVENTS: Statement = {
  name: 'run_machine_purge_trigger_events',
  text: 'select triggers.purge_trigger_events($1, $2) as purged',
};

/** Each method is one round trip and one commit. */
@Injectable()
export class TriggerEventStore {
  constructor(private readonly statements: Statements) {}

  async take(event: DecidedEvent): Promise<EventVerdict> {
    const { found } = event;
    const call = eventCall(event);
    const row = found ? await this.takeFound(call, found) : await this.statements.call<EventRow>(TAKE_EVENT, call);
    const { verdict } = row!;
    return isAboutRun(verdict) ? aboutRun(verdict, row!) : { verdict };
  }

  private async takeFound(call: object, { worker, uidValidity, uid }: FoundMail): Promise<EventRow | undefined> {
    const values = [storableJson(call), worker, uidValidity, uid];
    return (await this.statements.query<EventRow>(TAKE_FOUND, values))[0];
  }

  /** The same commit uses up the fire time. */
  async fire(event: DecidedEvent, { expected, generation, next }: FireSlot): Promise<FireVerdict> {
    const call = { ...eventCall(event), expected, generation, next };
    const row = await this.statements.callAlone<VerdictRow<FireVerdict['verdict']>>(FIRE, call);
    const { verdict } = row!;
    return isAboutRun(verdict) ? aboutRun(verdict, row!) : { verdict };
  }

  async purgeReceipts(limit: number): Promise<number> {
    const [row] = await this.statements.query<{ purged: number }>(PURGE_RECEIPTS, [limit]);
    return row!.purged;
  }

  async purgeEvents(beforeId: string, limit: number): Promise<number> {
    const [row] = await this.statements.query<{ purged: number }>(PURGE_EVENTS, [beforeId, limit]);
    return row!.purged;
  }

  async log(entry: EventEntry, outcome: TriggerOutcome, reason: string): Promise<void> {
    const { id, workspaceId, agentId, triggerId, type } = entry;
    await this.statements.query(LOG, [id, workspaceId, agentId, triggerId, type, outcome, reason]);
  }
}

function isAboutRun(verdict: string): verdict is 'started' | 'duplicate' {
  return verdict === 'started' || verdict === 'duplicate';
}

function aboutRun(
  verdict: 'started' | 'duplicate',
  { run_id: runId, created_at: createdAt }: VerdictRow<string>,
): Extract<EventVerdict, { runId: string | null }> {
  return verdict === 'started' ? { verdict, runId, createdAt } : { verdict, runId };
}

function eventCall(event: DecidedEvent): object {
  const { identity, secretHash } = event;
  return {
    event: event.id,
    workspace: event.workspaceId,
    agent: event.agentId,
    trigger: event.triggerId,
    type: event.type,
    version: event.version,
    by_hand: event.byHand,
    key: identity?.key,
    fingerprint: identity?.fingerprint && byteaText(identity.fingerprint),
    keep_ms: identity?.keepMillis,
    secret: secretHash && byteaText(secretHash),
    ...decisionMembers(event),
  };
}

function decisionMembers({ decision }: DecidedEvent): object {
  if (decision.kind !== 'start') {
    const { kind, reason, errors } = decision;
    return { decision: kind, reason, errors: errors.length > 0 ? errors : null };
  }
  const { run } = decision;
  return {
    decision: decision.kind,
    run: run.id,
    mode: run.mode,
    run_trigger: run.trigger,
    input: run.input,
    labels: run.labels,
    ...(run.files && run.files.length > 0 && { files: run.files }),
    initiator: run.initiator,
    currency: run.currency,
    limits: sqlRules(run.rules),
  };
}
