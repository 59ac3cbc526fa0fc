import { randomUUID } from 'node:crypto';
import type { ClaimedRun, StepResult } from '../../libs/runs/src/records/run-commands.js';
import { DECISIONS } from './approval-model.js';
import { BEGINNINGS, beginningOf } from './intents.js';
import type { Place, RunDatabase } from './run-database.js';

/**
 * The runs on which all sessions work at the same time. They belong to several agents, each with a limit of concurrent
 * runs.
 */
export class SharedRuns {
  readonly ids: string[] = [];

  constructor(
    private readonly places: readonly Place[],
    private readonly database: RunDatabase,
  ) {}

  async start(count: number): Promise<void> {
    for (let position = 0; position < count; position += 1) await this.startAt(position);
  }

  async replenish(): Promise<void> {
    const ended = await this.database.query<{ id: string }>(
      'select id from runs where id = any($1) and ended_at is not null',
      [this.ids],
    );
    for (const { id } of ended) {
      const position = this.ids.indexOf(id);
      if (position >= 0) await this.startAt(position);
    }
  }

  workspaceOf(runId: string): string {
    return this.placeOf(this.ids.indexOf(runId)).workspaceId;
  }

  private async startAt(position: number): Promise<void> {
    const concurrency = { max: 2, key: 'k', maxPerKey: 2, rejectConflict: false };
    const runId = await this.database.aRun(this.placeOf(position), { queueTtlMs: 3_600_000, concurrency });
    if (runId !== undefined) this.ids[position] = runId;
  }

  private placeOf(position: number): Place {
    const place = this.places[Math.max(0, position) % this.places.length];
    if (!place) throw new Error('there is no place for runs');
    return place;
  }
}

interface Held {
  claimed: ClaimedRun;
  inFlight: number[];
}

/**
 * One of several sessions that execute all operations on the same few runs at the same time. A session acts as worker
 * processes whose leases expire frequently, as people, and as the process that reconciles lost runs. Its methods reject
 * if an operation fails.
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
    await this.repeat(iterations, this.acts());
  }

  /**
   * Only claims and releases runs. Claims a run by id, like a worker that received a job, or the next due run, like a
   * worker that polls.
   */
  async hammerClaims(iterations: number): Promise<void> {
    const makeAllDue = async (): Promise<void> => {
      for (const runId of this.runs.ids) await this.database.passTime(runId);
    };
    await this.repeat(iterations, [() => this.claim(), () => this.claimNext(), () => this.release(), makeAllDue]);
  }

  /**
   * Executes only operations of workers. Concurrent worker operations of one process are committed in one transaction.
   */
  async hammerWork(iterations: number): Promise<void> {
    const { database, runs } = this;
    const makeDue = async (): Promise<void> => {
      await database.passTime(this.pick(runs.ids));
    };
    const advance = (): Promise<void> => this.advance();
    await this.repeat(iterations, [
      () => this.claim(),
      () => this.claimNext(),
      advance,
      advance,
      advance,
      () => this.finish(),
      () => this.release(),
      makeDue,
      () => runs.replenish(),
    ]);
  }

  private async repeat(iterations: number, acts: readonly (() => Promise<void>)[]): Promise<void> {
    await this.beginWorker();
    for (let done = 0; done < iterations; done += 1) await this.pick(acts)();
  }

  /** Returns all operations. An operation that is listed several times is executed more often. */
  private acts(): readonly (() => Promise<void>)[] {
    const { database, runs } = this;
    const onRun = (act: (runId: string) => Promise<unknown>) => async (): Promise<void> => {
      await act(this.pick(runs.ids));
    };
    const onPlace = (act: (workspaceId: string) => Promise<unknown>): (() => Promise<void>) =>
      onRun((runId) => act(runs.workspaceOf(runId)));
    const work = [
      () => this.claim(),
      () => this.claimNext(),
      () => this.advance(),
      () => this.advance(),
      () => this.advance(),
    ];
    const ends = [() => this.finish(), () => this.release(), () => this.beginWorker()];
    const people = [() => this.decide(), () => this.decide(), () => this.decide(), () => this.cancel()];
    const resumption = [
      onPlace((id) => database.resume(id)),
      onPlace((id) => database.wakeHeld(id)),
      onRun((id) => database.passTime(id)),
    ];
    const reconciler = [
      () => this.recover(),
      () => this.recover(),
      () => this.expire(),
      onRun(() => database.parkHeld()),
      onRun(() => database.query('select run_machine.expire_queued(10)')),
    ];
    const stops = [
      onPlace((id) => database.stop(id)),
      onPlace((id) =>
        database.query(`select run_machine.cancel_stopped_runs($1, true, null, 'ann@example.com', 2)`, [id]),
      ),
    ];
    return [
      ...work,
      ...work,
      ...work,
      ...ends,
      ...people,
      ...resumption,
      ...resumption,
      ...resumption,
      ...reconciler,
      ...stops,
      () => runs.replenish(),
    ];
  }

  private async beginWorker(): Promise<void> {
    if (this.workerId) await this.database.endLease(this.workerId);
    this.workerId = `hammer-${randomUUID()}`;
    await this.database.register(this.workerId);
  }

  private async claim(): Promise<void> {
    this.hold(await this.database.store.claim(this.pick(this.runs.ids), this.workerId, randomUUID()));
  }

  private async claimNext(): Promise<void> {
    this.hold(await this.database.store.claimNext(this.workerId, randomUUID()));
  }

  private hold(claimed: ClaimedRun | undefined): void {
    if (claimed) this.held = { claimed, inFlight: [] };
  }

  private async advance(): Promise<void> {
    if (!this.held) return this.claimNext();
    const { claimed } = this.held;
    const write = { results: this.results(), ...beginningOf(this.pick(BEGINNINGS), () => randomUUID()) };
    const answer = await this.database.store.advance(claimed, randomUUID(), write);
    if (answer.verdict === 'ok') this.held.inFlight = answer.steps.map((step) => step.n);
    else this.held = undefined;
  }

  private async finish(): Promise<void> {
    if (!this.held) return;
    const { claimed } = this.held;
    const write = { results: this.results(), notes: [], outcome: { status: 'succeeded', output: null } as const };
    await this.database.store.finish(claimed, randomUUID(), write);
    this.held = undefined;
  }

  private async release(): Promise<void> {
    if (this.held) await this.database.store.release(this.held.claimed, this.results());
    this.held = undefined;
  }

  private results(): StepResult[] {
    const states = ['succeeded', 'succeeded', 'failed', 'in_doubt', 'ready'] as const;
    return (this.held?.inFlight ?? []).map((n) => ({ n, state: this.pick(states) }));
  }

  private async recover(): Promise<void> {
    for (const runId of await this.database.store.lostRuns(10)) await this.database.store.recover(runId, 1_000);
  }

  private async cancel(): Promise<void> {
    const runId = this.pick(this.runs.ids);
    await this.database.store.cancel(this.runs.workspaceOf(runId), runId, { reason: null, actor: 'ann@example.com' });
  }

  private async decide(): Promise<void> {
    const approval = await this.anApproval();
    if (!approval) return;
    const decision = this.pick(DECISIONS);
    const edited = decision === 'edit' ? { edited: randomUUID() } : null;
    const by = this.pick(['bob', 'eve']);
    await this.database.decide({ workspaceId: this.runs.workspaceOf(approval.run), runId: approval.run }, approval.id, {
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
