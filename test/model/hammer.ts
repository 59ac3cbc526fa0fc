import { randomUUID } from 'node:crypto';
import type { ClaimedRun, StepResult } from '../../libs/runs/src/journal-entries.js';
import { DECISIONS } from './approval-model.js';
import { BEGINNINGS, beginningOf } from './intents.js';
import type { Place, RunDatabase } from './run-database.js';

/** The runs that all sessions fight for, some of them with a limit on how many may run at a time. */
export class SharedRuns {
  readonly ids: string[] = [];

  constructor(
    readonly place: Place,
    private readonly database: RunDatabase,
  ) {}

  /** Keeps their number constant: one that has ended makes room for another. */
  async replace(ended?: string): Promise<void> {
    const limited = this.ids.length % 2 === 0;
    const concurrency = limited ? { max: 2, key: 'k', maxPerKey: 2, rejectConflict: false } : null;
    const runId = await this.database.aRun(this.place, { queueTtlMs: 3_600_000, concurrency });
    if (runId === undefined) return;
    const position = ended === undefined ? -1 : this.ids.indexOf(ended);
    if (position < 0) this.ids.push(runId);
    else this.ids[position] = runId;
  }
}

interface Held {
  claimed: ClaimedRun;
  inFlight: number[];
}

/**
 * One of several sessions that do all there is to do with the same few runs at the same time: as a worker process whose
 * lease ends again and again, as a person, as the reconciler. Everything that goes wrong in it rejects.
 */
export class HammerSession {
  private workerId = '';
  private held: Held | undefined;

  constructor(
    private readonly database: RunDatabase,
    private readonly runs: SharedRuns,
    private readonly random: () => number,
  ) {}

  async hammer(iterations: number): Promise<void> {
    await this.beginWorker();
    const acts = this.acts();
    for (let done = 0; done < iterations; done += 1) await this.pick(acts)();
  }

  /** An act named several times happens more often. */
  private acts(): readonly (() => Promise<void>)[] {
    const { database, runs } = this;
    const { workspaceId } = runs.place;
    const work = [
      () => this.claim(),
      () => this.claimNext(),
      () => this.advance(),
      () => this.advance(),
      () => this.advance(),
    ];
    const people = [() => this.decide(), () => this.decide(), () => this.cancel()];
    const stops = [
      async () => void (await database.stop(workspaceId)),
      async () => void (await database.resume(workspaceId)),
      async () => void (await database.resume(workspaceId)),
    ];
    const reconciler = [
      () => this.recover(),
      () => this.recover(),
      () => this.expire(),
      async () => void (await database.wakeHeld(workspaceId)),
      async () => void (await database.parkHeld()),
      async () => void (await database.query('select run_machine.expire_queued(10)')),
      async () =>
        void (await database.query('select run_machine.cancel_stopped_runs($1, true, null, $2, 2)', [
          workspaceId,
          'ann@example.com',
        ])),
    ];
    const ends = [() => this.finish(), () => this.release(), () => this.beginWorker()];
    return [...work, ...work, ...people, ...stops, ...reconciler, ...ends];
  }

  private async beginWorker(): Promise<void> {
    if (this.workerId) await this.database.endLease(this.workerId);
    this.workerId = `hammer-${randomUUID()}`;
    await this.database.register(this.workerId);
  }

  private async claim(): Promise<void> {
    this.hold(await this.database.journal.claim(this.pick(this.runs.ids), this.workerId, randomUUID()));
  }

  private async claimNext(): Promise<void> {
    this.hold(await this.database.journal.claimNext(this.workerId, randomUUID()));
  }

  private hold(claimed: ClaimedRun | undefined): void {
    if (claimed) this.held = { claimed, inFlight: [] };
  }

  private async advance(): Promise<void> {
    if (!this.held) return this.claimNext();
    const { claimed } = this.held;
    const write = { results: this.results(), ...beginningOf(this.pick(BEGINNINGS), () => randomUUID()) };
    const answer = await this.database.journal.advance(claimed, randomUUID(), write);
    if (answer.verdict === 'ok') this.held.inFlight = answer.steps.map((step) => step.n);
    else this.held = undefined;
  }

  private async finish(): Promise<void> {
    if (!this.held) return;
    const { claimed } = this.held;
    const write = { results: this.results(), notes: [], ending: { status: 'succeeded', output: null } as const };
    await this.database.journal.finish(claimed, randomUUID(), write);
    this.held = undefined;
    await this.runs.replace(claimed.id);
  }

  private async release(): Promise<void> {
    if (this.held) await this.database.journal.release(this.held.claimed, this.results());
    this.held = undefined;
  }

  private results(): StepResult[] {
    const states = ['succeeded', 'succeeded', 'failed', 'in_doubt', 'ready'] as const;
    return (this.held?.inFlight ?? []).map((n) => ({ n, state: this.pick(states) }));
  }

  private async recover(): Promise<void> {
    for (const runId of await this.database.journal.lostRuns(10)) await this.database.journal.recover(runId, 1_000);
  }

  private async cancel(): Promise<void> {
    const runId = this.pick(this.runs.ids);
    await this.database.journal.cancel(this.runs.place.workspaceId, runId, { reason: null, actor: 'ann@example.com' });
    await this.runs.replace(runId);
  }

  private async decide(): Promise<void> {
    const approval = await this.anApproval();
    if (!approval) return;
    const decision = this.pick(DECISIONS);
    const edited = decision === 'edit' ? { edited: randomUUID() } : null;
    const by = this.pick(['bob', 'eve']);
    await this.database.decide({ workspaceId: this.runs.place.workspaceId, runId: approval.run }, approval.id, {
      decision,
      by,
      edited,
    });
  }

  private async expire(): Promise<void> {
    const approval = await this.anApproval();
    if (!approval) return;
    await this.database.makeApprovalOverdue(approval.run);
    await this.database.expire(approval.run, approval.id);
  }

  private async anApproval(): Promise<{ id: string; run: string } | undefined> {
    const approvals = await this.database.query<{ id: string; run: string }>(
      'select id, run_id as run from approvals where run_id = any($1) order by status = $2 desc, id limit 3',
      [this.runs.ids, 'open'],
    );
    return approvals.length > 0 ? this.pick(approvals) : undefined;
  }

  private pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }
}
