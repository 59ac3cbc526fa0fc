import { isDeepStrictEqual } from 'node:util';
import { hasEnded, RUN_STATUSES } from '../../libs/runs/src/records/run-status.js';
import type { ObservedRun } from './run-database.js';
import type { World } from './world.js';

type Invariant = (now: ObservedRun, world: World) => boolean;

/** Invariants of every run. They check the database and the effects of calls, and do not use the model. */
const INVARIANTS: Record<string, Invariant> = {
  'I1 a run has an owner exactly while it is running': ({ run }) => (run.status === 'running') === (run.owner !== null),
  'I2 the attempt rises by one with each claim, and only then': ({ run }, { before }) =>
    before === undefined ||
    run.attempt === before.run.attempt ||
    (run.attempt === before.run.attempt + 1 && run.status === 'running'),
  'I3 an ended run never changes': ({ run, approvals }, { before }) =>
    before === undefined ||
    !isEnded(before) ||
    (same(outcome(run), outcome(before.run)) && same(approvals, before.approvals)),
  'I3 an ended run waits for nothing': (now) =>
    !isEnded(now) || now.steps.every((step) => !['awaiting_approval', 'ready', 'waiting'].includes(step.state)),
  'I4 no step has the even epoch of a stop': ({ steps }) => steps.every((step) => step.epoch % 2 === 1),
  'I5 a write that must not happen twice happened once, and once more for each time that a person said so': (
    _now,
    { ledger, repeats },
  ) => {
    const writes = ledger.filter((call) => call.effect === 'at_most_once').map((call) => call.path);
    return writes.every((path) => count(writes, path) <= 1 + count(repeats, path));
  },
  'I6 positions have no gaps': ({ run, steps }) =>
    steps.length === run.lastStep - 1 && steps.every((step, index) => step.n === index + 2),
  'I6 no logical call is under way twice': ({ steps }) => {
    const paths = steps.filter((step) => step.state === 'started').map((step) => step.path);
    return new Set(paths).size === paths.length;
  },
  'I7 exactly one run.completed for a run that has ended, none before': (now) =>
    (now.events['run.completed'] ?? 0) === (isEnded(now) ? 1 : 0),
  'I7 exactly one run.approval_requested for each approval': ({ events, approvals }) =>
    (events['run.approval_requested'] ?? 0) === approvals.length,
  'I7 exactly one event for each end of an approval': ({ events, approvals }) =>
    (events['approval.decided'] ?? 0) ===
      approvals.filter(({ status }) => ['approved', 'rejected'].includes(status)).length &&
    (events['approval.expired'] ?? 0) === approvals.filter(({ status }) => status === 'expired').length,
  'I8 a run waits for approval exactly while one approval is open': ({ run, approvals }) =>
    approvals.filter((approval) => approval.status === 'open').length === (run.status === 'waiting_approval' ? 1 : 0),
  'I9 a run has a wake time exactly while it is queued': ({ run }) => (run.status === 'queued') === (run.wake !== null),
  'I9 a run is held only by a stop': ({ run }, { before }) =>
    run.wake !== 'held' || run.stopped || before?.run.wake === 'held',
  'I10 a run whose worker has no lease is listed for recovery': ({ run }, world) =>
    run.isLost ===
    (run.owner !== null &&
      !Object.values(world.workers).some((worker) => worker.id === run.owner && world.isAlive(worker))),
  'I10 a run that a living worker owns is one that it works on': ({ run }, world) =>
    Object.values(world.workers).every(
      (worker) => worker.id !== run.owner || !world.isAlive(worker) || worker.attempt?.number === run.attempt,
    ),
  'I11 what a person decided stays decided': ({ approvals }, { before }) =>
    (before?.approvals ?? []).every(
      (earlier) =>
        earlier.status === 'open' ||
        same(
          earlier,
          approvals.find((approval) => approval.id === earlier.id),
        ),
    ),
  'I11 what was made is the stored call, byte for byte': ({ steps }, { ledger }) =>
    ledger.every((call) => same(call.request, steps.find((step) => step.n === call.n)?.request)),
  'I13 everything about a run is filed under its workspace': ({ strays }) => strays === 0,
  'I15 nothing disappears from the trace': ({ run }, { before }) =>
    before === undefined || run.lastStep >= before.run.lastStep,
  'I16 a change of the status is found by readers of changes, and no other change': ({ run }, { before }) =>
    before === undefined ||
    (run.status === before.run.status
      ? run.change === before.run.change || run.attempt !== before.run.attempt
      : run.change !== before.run.change),
};

export function violations(world: World, now: ObservedRun): string[] {
  return Object.entries(INVARIANTS).flatMap(([sentence, holds]) => (holds(now, world) ? [] : [sentence]));
}

function isEnded({ run }: ObservedRun): boolean {
  const status = RUN_STATUSES.find((candidate) => candidate === run.status);
  return status !== undefined && hasEnded(status);
}

function outcome({ status, attempt, lastStep, endedAt, output }: ObservedRun['run']): object {
  return { status, attempt, lastStep, endedAt, output };
}

function same(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

function count(list: readonly string[], item: string): number {
  return list.filter((candidate) => candidate === item).length;
}
