import { randomUUID } from 'node:crypto';
import type { StepResult } from '../../libs/runs/src/records/run-commands.js';
import { command, type Command } from './command.js';
import { type Beginning, beginningOf, letsGo, resumptionOf } from './intents.js';
import type { RunDatabase } from './run-database.js';
import type { Attempt, BegunCall, SentWrite, WorkerModel, WorkerName } from './worker-model.js';
import { giveBack, send } from './worker-writes.js';
import type { World } from './world.js';

/** Commands of workers. Each command uses only what the worker itself knows about the run. */

export const claim = (name: WorkerName): Command =>
  command(`Claim${name}`, both(isFree(name), isClaimable), (world, database) =>
    send(world, database, world.workers[name], { kind: 'claim', op: randomUUID() }),
  );

export const claimNext = (name: WorkerName): Command =>
  command(`ClaimNext${name}`, both(isFree(name), isClaimable), (world, database) =>
    send(world, database, world.workers[name], { kind: 'claim next', op: randomUUID() }),
  );

/** Attempts to claim the run even if it is not due. */
export const claimAnyway = (name: WorkerName): Command =>
  command(`ClaimAnyway${name}`, both(isFree(name), isGoingOn), (world, database) =>
    send(world, database, world.workers[name], { kind: 'claim', op: randomUUID() }),
  );

/**
 * Begins calls. Several reads may be open at the same time. A write begins only while no other write is open. A write
 * that releases the run begins only while no call is open.
 */
export const begin = (name: WorkerName, kind: Beginning): Command =>
  whileOwner(`Begin${name}(${kind})`, name, mayBegin(kind), async (world, database, worker, attempt) => {
    const begins = beginningOf(kind, () => world.newPath());
    const write = { results: attempt.takeResults(), ...begins };
    await send(world, database, worker, { kind: 'advance', op: randomUUID(), attempt: attempt.number, write });
  });

export const resume = (name: WorkerName): Command =>
  whileOwner(`Begin${name}(resumed)`, name, mayResume, async (world, database, worker, attempt) => {
    const step = attempt.resumable;
    const write = { results: attempt.takeResults(), notes: [], intents: step ? [resumptionOf(step)] : [] };
    await send(world, database, worker, { kind: 'advance', op: randomUUID(), attempt: attempt.number, write });
  });

/** Records only the results that the worker has collected so far. */
export const record = (name: WorkerName): Command =>
  whileOwner(`Record${name}`, name, hasResults, async (world, database, worker, attempt) => {
    const write = { results: attempt.takeResults(), notes: [], intents: [] };
    await send(world, database, worker, { kind: 'advance', op: randomUUID(), attempt: attempt.number, write });
  });

export const finish = (name: WorkerName, status: 'succeeded' | 'failed'): Command =>
  whileOwner(`Finish${name}(${status})`, name, hasNothingInFlight, (...args) => finishAs(status, ...args));

/** Attempts to end the run in a worker that no longer owns it. */
export const finishAsZombie = (name: WorkerName): Command =>
  whileOwner(
    `FinishAsZombie${name}`,
    name,
    (attempt, { run }) => hasNothingInFlight(attempt) && run.attempt !== attempt.number,
    (...args) => finishAs('succeeded', ...args),
  );

async function finishAs(
  status: 'succeeded' | 'failed',
  world: World,
  database: RunDatabase,
  worker: WorkerModel,
  attempt: Attempt,
): Promise<void> {
  const results = attempt.takeResults();
  await send(world, database, worker, { kind: 'finish', op: randomUUID(), attempt: attempt.number, results, status });
}

export const release = (name: WorkerName): Command =>
  whileOwner(`Release${name}`, name, hasNothingInFlight, (world, database, worker, attempt) =>
    giveBack(world, database, worker, attempt),
  );

/**
 * Reconciles the call in doubt by asking the tool whether the call took effect. The answer is final, because no worker
 * still has the call open.
 */
export const reconcile = (name: WorkerName): Command =>
  command(
    `Reconcile${name}`,
    (world) => {
      const { attempt } = world.workers[name];
      const step = attempt?.resumable;
      // The reconciliation is a call too. The worker makes it only after it has written all results and while no other
      // call is open.
      const mayAsk = attempt?.mayGoOn === true && hasNothingInFlight(attempt) && !hasResults(attempt);
      return mayAsk && step?.state === 'in_doubt' && !world.isInFlight(step.n);
    },
    async ({ workers, ledger }) => {
      const attempt = workers[name].attempt;
      const step = attempt?.resumable;
      if (!attempt || !step) return;
      const happened = ledger.some((call) => call.n === step.n);
      attempt.settleDoubt(step, happened ? 'succeeded' : 'interrupted');
      workers[name].lastWrite = undefined;
    },
  );

export const execute = (name: WorkerName, which: 'oldest' | 'newest'): Command =>
  onCall(`Exec${name}(${which})`, name, which, (world, call) => {
    world.ledger.push(call);
    return 'succeeded';
  });

/**
 * Creates a command in which the response to a call is lost. `happened` is true if the call took effect. A call that
 * must not be repeated is then in doubt. Any other call has failed.
 */
export const loseAnswer = (name: WorkerName, happened: boolean): Command =>
  onCall(`Unanswered${name}(${happened ? 'happened' : 'did not happen'})`, name, 'oldest', (world, call) => {
    if (happened) world.ledger.push(call);
    return call.effect === 'at_most_once' ? 'in_doubt' : 'failed';
  });

/** Creates a command in which the worker finds that it did not send a call at all. */
export const takeBack = (name: WorkerName): Command => onCall(`TakeBack${name}`, name, 'newest', () => 'ready');

export const reportLate = (name: WorkerName): Command =>
  command(
    `ReportLate${name}`,
    ({ workers }) => {
      const { attempt } = workers[name];
      return attempt !== undefined && !attempt.mayGoOn && attempt.results.length > 0;
    },
    async (world, database) => {
      const worker = world.workers[name];
      if (worker.attempt) await giveBack(world, database, worker, worker.attempt);
    },
  );

export const loseAck = (name: WorkerName, of: 'claim' | 'write'): Command =>
  command(
    `LostAck${name}(${of})`,
    ({ workers }) => {
      const { lastWrite } = workers[name];
      return lastWrite !== undefined && isClaim(lastWrite) === (of === 'claim');
    },
    async (world, database) => {
      const { lastWrite } = world.workers[name];
      if (lastWrite) await send(world, database, world.workers[name], lastWrite);
    },
  );

/** The process is suspended until its lease has expired. It then continues without knowing this. */
export const pauseUntilLeaseIsLost = (name: WorkerName): Command =>
  command(`PauseLeaseLost${name}`, both(isAlive(name), isBusy(name)), async ({ workers, run }, database) => {
    await database.endLease(workers[name].id);
    run.alive.delete(workers[name].id);
  });

export const crash = (name: WorkerName): Command =>
  command(`Crash${name}`, both(isAlive(name), isGoingOn), async ({ workers, run }, database) => {
    await database.endLease(workers[name].id);
    run.alive.delete(workers[name].id);
    workers[name].forgetEverything();
  });

export const restart = (name: WorkerName): Command =>
  command(
    `Restart${name}`,
    (world) => isGoingOn(world) && !isAlive(name)(world),
    async (world, database) => {
      world.workers[name].restart();
      await world.register(world.workers[name], database);
    },
  );

const isAlive =
  (name: WorkerName) =>
  (world: World): boolean =>
    world.isAlive(world.workers[name]);

const isFree =
  (name: WorkerName) =>
  ({ workers }: World): boolean =>
    workers[name].attempt === undefined;

const isClaim = ({ kind }: SentWrite): boolean => kind === 'claim' || kind === 'claim next';

const isBusy =
  (name: WorkerName) =>
  ({ workers }: World): boolean =>
    workers[name].attempt !== undefined;

const isGoingOn = ({ run }: World): boolean => !run.hasEnded;

/** Returns whether the run waits for a worker, so that a claim can succeed. */
const isClaimable = ({ run }: World): boolean => run.wake === 'due' && !run.stopped;

const both =
  (one: (world: World) => boolean, other: (world: World) => boolean) =>
  (world: World): boolean =>
    one(world) && other(world);

const mayBegin =
  (kind: Beginning) =>
  (attempt: Attempt): boolean => {
    if (letsGo(kind)) return attempt.inFlight.length === 0;
    return kind === 'idempotent' || kind === 'at most once' ? !attempt.hasWriteInFlight : true;
  };

const mayResume = ({ resumable, inFlight, hasWriteInFlight }: Attempt): boolean => {
  if (!resumable) return false;
  if (resumable.state === 'in_doubt') return inFlight.length === 0;
  return resumable.effect === 'read' || !hasWriteInFlight;
};

const hasResults = ({ results }: Attempt): boolean => results.length > 0;

const hasNothingInFlight = ({ inFlight }: Attempt): boolean => inFlight.length === 0;

function whileOwner(
  title: string,
  name: WorkerName,
  when: (attempt: Attempt, world: World) => boolean,
  does: (...args: [...Parameters<Command['run']>, WorkerModel, Attempt]) => Promise<void>,
): Command {
  return command(
    title,
    (world) => {
      const { attempt } = world.workers[name];
      return attempt !== undefined && attempt.mayGoOn && when(attempt, world);
    },
    async (world, database) => {
      const worker = world.workers[name];
      if (worker.attempt) await does(world, database, worker, worker.attempt);
    },
  );
}

/**
 * Creates a command that settles an open call. To settle the call, the worker must have used the response to its last
 * write. This response can therefore no longer be lost.
 */
function onCall(
  title: string,
  name: WorkerName,
  which: 'oldest' | 'newest',
  outcome: (world: World, call: BegunCall) => StepResult['state'],
): Command {
  const callOf = ({ workers }: World): BegunCall | undefined =>
    workers[name].attempt?.inFlight.at(which === 'oldest' ? 0 : -1);
  return command(
    title,
    (world) => callOf(world) !== undefined,
    async (world) => {
      const call = callOf(world);
      if (!call) return;
      world.workers[name].attempt?.settle(call, outcome(world, call));
      world.workers[name].lastWrite = undefined;
    },
  );
}
