import type { ClaimedRun } from '../../libs/runs/src/records/run-commands.js';
import { agree } from './agreement.js';
import type { RunDatabase } from './run-database.js';
import type { ModelStep } from './step-model.js';
import { Attempt, type SentWrite, type WorkerModel } from './worker-model.js';
import type { World } from './world.js';

/**
 * Sends a write of a worker to the model and to the database. Updates the knowledge of the worker with the results. If
 * the response is lost, the worker sends the same write again, which must have no further effect.
 */
export async function send(world: World, database: RunDatabase, worker: WorkerModel, sent: SentWrite): Promise<void> {
  worker.lastWrite = sent;
  switch (sent.kind) {
    case 'claim':
    case 'claim next':
      return claim(world, database, worker, sent);
    case 'advance':
      return advance(world, database, worker, sent);
    case 'finish':
      return finish(world, database, worker, sent);
  }
}

/**
 * Releases the run, and reports the remaining results of its calls. The worker cannot repeat this write, because it no
 * longer owns the run afterwards.
 */
export async function giveBack(
  world: World,
  database: RunDatabase,
  worker: WorkerModel,
  attempt: Attempt,
): Promise<void> {
  const results = attempt.takeResults();
  const answered = await database.store.release(asClaimed(world, attempt.number), results);
  agree('release', answered, world.run.release(attempt.number, results));
  attempt.mayGoOn = false;
  worker.lastWrite = undefined;
  dismissIfDone(worker);
}

async function claim(
  { run, runId }: World,
  { store }: RunDatabase,
  worker: WorkerModel,
  { kind, op }: SentWrite & { kind: 'claim' | 'claim next' },
): Promise<void> {
  const claimed = await (kind === 'claim' ? store.claim(runId, worker.id, op) : store.claimNext(worker.id, op));
  const predicted = run.claim(worker.id, op)
    ? { id: runId, attempt: run.attempt, steps: run.steps.map(asRecorded) }
    : undefined;
  agree(kind, claimed && { id: claimed.id, attempt: claimed.attempt, steps: claimed.steps.map(asRecorded) }, predicted);
  worker.attempt = predicted && new Attempt(run.attempt, run.steps);
}

async function advance(
  world: World,
  database: RunDatabase,
  worker: WorkerModel,
  { op, attempt: number, write }: SentWrite & { kind: 'advance' },
): Promise<void> {
  const answered = await database.store.advance(asClaimed(world, number), op, write);
  const { verdict, steps = [] } = world.run.advance(number, op, write);
  agree(
    'advance',
    answered.verdict === 'ok' ? { verdict: 'ok', steps: answered.steps.map(asIntended) } : answered,
    verdict === 'ok' ? { verdict, steps: steps.map(asIntended) } : { verdict },
  );
  const { attempt } = worker;
  if (attempt?.number !== number) return;
  attempt.takeBackUnanswered(op);
  attempt.mayGoOn = verdict === 'ok';
  for (const step of steps) attempt.adopt(step, op);
  dismissIfDone(worker);
}

async function finish(
  world: World,
  database: RunDatabase,
  worker: WorkerModel,
  { op, attempt, results, status }: SentWrite & { kind: 'finish' },
): Promise<void> {
  const answered = await database.store.finish(asClaimed(world, attempt), op, {
    results,
    notes: [{ path: 'result', type: 'output', state: 'succeeded' }],
    outcome:
      status === 'succeeded'
        ? { status, output: { by: attempt } }
        : { status, error: { code: 'tool_error', step: null, message: 'The tool refused.' } },
  });
  agree('finish', answered, world.run.finish(attempt, op, results, status));
  if (worker.attempt?.number === attempt) worker.attempt = undefined;
}

/**
 * Removes the run from a worker process that no longer owns the run. Does nothing until the process has reported the
 * outcomes of all calls that it had begun.
 */
function dismissIfDone(worker: WorkerModel): void {
  const { attempt } = worker;
  if (attempt && !attempt.mayGoOn && attempt.inFlight.length === 0 && attempt.results.length === 0)
    worker.attempt = undefined;
}

function asRecorded(
  step: Pick<ModelStep, 'n' | 'path' | 'try' | 'type' | 'state'> & { request: object | null; due: boolean | null },
): object {
  const { n, path, try: tried, type, state, request, due } = step;
  return { n, path, try: tried, type, state, request, due: due === true };
}

function asIntended({
  n,
  path,
  try: tried,
  state,
  request,
}: Pick<ModelStep, 'n' | 'path' | 'try' | 'state' | 'request'>): object {
  return { n, path, try: tried, state, request };
}

function asClaimed({ runId, workspaceId }: World, attempt: number): ClaimedRun {
  return {
    id: runId,
    workspaceId,
    attempt,
    agentId: '',
    version: 1,
    mode: 'production',
    trigger: {},
    input: {},
    labels: {},
    initiator: null,
    activeMs: 0,
    createdAt: new Date(0),
    steps: [],
  };
}
