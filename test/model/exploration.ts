import { DECISIONS } from './approval-model.js';
import { isNativeError } from 'node:util/types';
import fc from 'fast-check';
import { type Command } from './command.js';
import { BEGINNINGS } from './intents.js';
import type { RunDatabase } from './run-database.js';
import * as worker from './worker-commands.js';
import { type WorkerName } from './worker-model.js';
import * as world from './world-commands.js';
import { World } from './world.js';

/** Maximum number of commands in a sequence. Most commands are not applicable in the current state and take no time. */
const MAX_COMMANDS = 600;

/** Relative frequency of the commands. Commands that end a run are rare, so that a run lasts for many commands. */
const COMMANDS: readonly (readonly [Command, number])[] = [
  ...(['A', 'B'] as const).flatMap(commandsOf),
  [world.recover, 40],
  [takenOver('A', 'B'), 10],
  [takenOver('B', 'A'), 10],
  [world.recoverAnyway, 1],
  [world.resume, 40],
  [world.wakeHeld, 40],
  ...DECISIONS.flatMap((decision) => [
    [world.decide(decision, 'bob'), decision === 'reject' ? 3 : 15] as const,
    [world.decide(decision, 'eve'), decision === 'reject' ? 3 : 15] as const,
    [world.decideAnyway(decision, 'bob'), 1] as const,
  ]),
  [world.approvalIsOverdue, 5],
  [world.expire, 1],
  [world.stop, 4],
  [world.parkHeld, 10],
  [world.passTime, 20],
  [world.cancel, 1],
];

function commandsOf(name: WorkerName): (readonly [Command, number])[] {
  return [
    [worker.claim(name), 30],
    [worker.claimNext(name), 10],
    [worker.claimAnyway(name), 2],
    ...BEGINNINGS.map((kind) => [worker.begin(name, kind), kind === 'at most once' ? 20 : 5] as const),
    [worker.resume(name), 40],
    [worker.record(name), 10],
    [worker.execute(name, 'oldest'), 15],
    [worker.execute(name, 'newest'), 10],
    [worker.loseAnswer(name, true), 5],
    [worker.loseAnswer(name, false), 5],
    [worker.takeBack(name), 15],
    [worker.reconcile(name), 10],
    [worker.reportLate(name), 10],
    [worker.loseAck(name, 'claim'), 2],
    [worker.loseAck(name, 'write'), 10],
    [worker.finishAsZombie(name), 10],
    [worker.finish(name, 'succeeded'), 1],
    [worker.finish(name, 'failed'), 1],
    [worker.release(name), 2],
    [worker.pauseUntilLeaseIsLost(name), 8],
    [worker.crash(name), 3],
    [worker.restart(name), 15],
  ];
}

/**
 * Creates a command in which the lease of a running worker expires. Another worker then claims the run before the first
 * worker notices.
 */
function takenOver(from: WorkerName, by: WorkerName): Command {
  const events = [worker.pauseUntilLeaseIsLost(from), world.recover, worker.claim(by)];
  return {
    check: ({ run, workers }) =>
      run.owner === workers[from].id &&
      run.alive.has(workers[from].id) &&
      run.alive.has(workers[by].id) &&
      workers[from].attempt !== undefined &&
      workers[by].attempt === undefined &&
      !run.stopped,
    async run(model, database) {
      for (const event of events) if (event.check(model)) await event.run(model, database);
    },
    toString: () => events.join(','),
  };
}

export interface Exploration {
  sequences: number;
  seed?: number | undefined;
  /** True to return the first counterexample unchanged. By default, it is shrunk to fewer commands. */
  firstIsEnough?: boolean;
}

export interface Findings {
  sequences: number;
  /**
   * The commands that led to a difference between model and database, the difference, and the seed that reproduces it.
   * Undefined if there was no difference.
   */
  counterexample: string | undefined;
}

/**
 * Runs random sequences of commands on the model and on the database. Stops at the first difference, or when all
 * sequences are done.
 */
export async function explore(
  database: RunDatabase,
  { sequences, seed, firstIsEnough = false }: Exploration,
): Promise<Findings> {
  const anyCommand = fc.oneof(...COMMANDS.map(([command, weight]) => ({ arbitrary: fc.constant(command), weight })));
  const property = fc.asyncProperty(
    fc.noBias(fc.commands([anyCommand], { maxCommands: MAX_COMMANDS, size: 'max' })),
    async (sequence) => {
      await fc.asyncModelRun(async () => ({ model: await World.create(database), real: database }), sequence);
    },
  );
  const details = await fc.check(property, { numRuns: sequences, seed, endOnFailure: firstIsEnough });
  return { sequences: details.numRuns, counterexample: details.failed ? reportOf(details) : undefined };
}

function reportOf<Values>({ counterexample, errorInstance, seed }: fc.RunDetails<Values>): string {
  const reason = isNativeError(errorInstance) ? errorInstance.message : String(errorInstance);
  return `${fc.stringify(counterexample)}\n${reason}\nFind it again with MODEL_SEED=${seed}.`;
}
