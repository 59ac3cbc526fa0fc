import { deepStrictEqual } from 'node:assert/strict';
import { isNativeError } from 'node:util/types';
import type { ObservedRun, RunDatabase } from './run-database.js';
import { violations } from './invariants.js';
import type { RunModel } from './run-model.js';
import type { World } from './world.js';

/**
 * Compares a result of the database with the result that the model predicts.
 *
 * @throws an error with the difference if the results differ
 */
export function agree(about: string, answered: unknown, predicted: unknown): void {
  try {
    deepStrictEqual(answered, predicted);
  } catch (error) {
    const difference = isNativeError(error) ? error.message : String(error);
    throw new Error(`${about}: the database (+) and the model (-) differ: ${difference}`, { cause: error });
  }
}

/**
 * Compares the state of the database with that of the model, and checks the invariants.
 *
 * @throws if the states differ, or if an invariant is violated
 */
export async function agreeOnEverything(world: World, database: RunDatabase): Promise<void> {
  const observed = await database.observe(world.runId);
  agree('the run', essence(observed), predictionOf(world.run));
  const broken = violations(world, observed);
  if (broken.length > 0) throw new Error(`broken: ${broken.join('; ')}`);
  world.before = observed;
}

function essence({ run, steps, approvals }: ObservedRun): object {
  const { change: _change, endedAt: _at, output: _output, ...same } = run;
  return { run: same, steps, approvals: approvals.map(({ id: _id, ...approval }) => approval) };
}

function predictionOf(model: RunModel): object {
  const { status, attempt, owner, recoveries, wake, stopped, epoch } = model;
  const isLost = owner !== null && !model.alive.has(owner);
  const lastStep = model.steps.length + 1;
  return {
    run: { status, attempt, owner, recoveries, lastStep, wake, stopped, epoch, isLost },
    steps: model.steps.map(({ op: _op, due: _due, ...step }) => step),
    approvals: model.approvals.map((approval) => ({
      kind: approval.gate.kind,
      n: approval.n,
      status: approval.status,
      request: approval.request,
      said: approval.decisions.map(({ by, decision }) => `${by} ${decision}`),
    })),
  };
}
