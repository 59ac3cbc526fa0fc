import type { Pool } from 'pg';

import type { Ledger } from '../../support/ledger.js';
import { TOOL_ANSWER, TOOL_PATH } from '../bench-agents.js';
import { type Figures, quantile } from '../figures.js';
import { postMany } from '../http-load.js';
import { peakMemory } from '../process-usage.js';
import type { Contender, RunningContender, RunObserver } from './contender.js';

const CONNECTIONS = 50;
const WARM_UP_ONE_AT_A_TIME = 3;

export const FIGURES = {
  acceptedAlone: 'accepted, no worker',
  accepted: 'accepted, worker at work',
  finished: 'finished',
  p50: 'accept to finished, p50',
  p99: 'accept to finished, p99',
  apiMemory: 'memory, api',
  workerMemory: 'memory, worker',
  memory: 'memory, api and worker',
} as const;

export interface RoundContext {
  figures: Figures;
  ledger: Ledger;
  openPool: (url: string) => Pool;
  /** Number by which the numbers of runs are divided, so that a quick benchmark is shorter. */
  divisor: number;
}

type Add = (name: string, unit: string, value: number) => void;

/** Measures one contender. Its API must run, and no other contender may run at the same time. */
export async function measureRound(
  contender: Contender,
  running: RunningContender,
  context: RoundContext,
): Promise<void> {
  const { figures, ledger, divisor, openPool } = context;
  const add: Add = (name, unit, value) => figures.add(contender.name, contender.queue, name, unit, value);
  const sizes = {
    warmUp: Math.ceil(contender.sizes.warmUp / divisor),
    alone: Math.ceil(contender.sizes.acceptedAlone / divisor),
    finished: Math.ceil(contender.sizes.finished / divisor),
    oneAtATime: Math.ceil(contender.sizes.oneAtATime / divisor),
  };
  const observer = running.observe(openPool);
  // A worker may execute a first run while it starts.
  readyTool(ledger);
  try {
    if (sizes.alone > 0) await acceptAlone(running, ledger, sizes, add);
    const worker = await running.startWorker();
    if (sizes.alone === 0) await warmUp(running, ledger, sizes.warmUp);
    await observer.untilAllEnded(() => ledger.calls.length >= sizes.warmUp + sizes.alone);
    const memory = await peakMemory({ api: running.api.pid, worker: worker.pid }, () =>
      acceptAndFinish({ running, ledger, observer }, sizes.finished, add),
    );
    const { api, worker: ofWorker } = memory;
    if (api !== undefined) add(FIGURES.apiMemory, 'MiB', api);
    if (ofWorker !== undefined) add(FIGURES.workerMemory, 'MiB', ofWorker);
    if (api !== undefined && ofWorker !== undefined) add(FIGURES.memory, 'MiB', api + ofWorker);
    await oneAtATime(observer, sizes.oneAtATime, add);
  } finally {
    await observer.close();
  }
}

async function warmUp(running: RunningContender, ledger: Ledger, runs: number): Promise<void> {
  readyTool(ledger);
  await postMany(running.post, runs, CONNECTIONS, running.acceptedStatus);
}

async function acceptAlone(
  running: RunningContender,
  ledger: Ledger,
  sizes: { warmUp: number; alone: number },
  add: Add,
): Promise<void> {
  await warmUp(running, ledger, sizes.warmUp);
  const load = await postMany(running.post, sizes.alone, CONNECTIONS, running.acceptedStatus);
  add(FIGURES.acceptedAlone, 'runs/s', load.perSecond);
}

interface Working {
  running: RunningContender;
  ledger: Ledger;
  observer: RunObserver;
}

/**
 * Measures accepted and finished runs per second. The time is measured in the same way for every contender, by the
 * clock of the driver: from the first byte sent until the store has no open run.
 */
async function acceptAndFinish({ running, ledger, observer }: Working, runs: number, add: Add): Promise<void> {
  readyTool(ledger);
  const before = await observer.succeededRuns();
  const begun = performance.now();
  const load = await postMany(running.post, runs, CONNECTIONS, running.acceptedStatus);
  await observer.untilAllEnded(() => ledger.calls.length >= runs);
  const seconds = (performance.now() - begun) / 1000;
  const succeeded = (await observer.succeededRuns()) - before;
  if (succeeded !== runs) throw new Error(`Of ${runs} runs ${succeeded} succeeded.`);
  if (ledger.calls.length !== runs) throw new Error(`${runs} runs called their tool ${ledger.calls.length} times.`);
  add(FIGURES.accepted, 'runs/s', load.perSecond);
  add(`${FIGURES.accepted}, p50`, 'ms', load.p50);
  add(`${FIGURES.accepted}, p99`, 'ms', load.p99);
  add(FIGURES.finished, 'runs/s', runs / seconds);
}

async function oneAtATime(observer: RunObserver, runs: number, add: Add): Promise<void> {
  const single = await observer.openSingleRuns();
  try {
    const millis: number[] = [];
    for (let run = 0; run < WARM_UP_ONE_AT_A_TIME + runs; run++) millis.push(await single.measureRun());
    const measured = millis.slice(WARM_UP_ONE_AT_A_TIME).sort((a, b) => a - b);
    add(FIGURES.p50, 'ms', quantile(measured, 0.5));
    add(FIGURES.p99, 'ms', quantile(measured, 0.99));
  } finally {
    await single.close();
  }
}

function readyTool(ledger: Ledger): void {
  ledger.reset();
  ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
}
