import { randomUUID } from 'node:crypto';

import type { ClaimedRun, StepNote } from '../../libs/runs/src/journal-entries.js';
import { RunMachine } from '../../libs/runs/src/testing/run-machine.js';
import type { Bench, CeilingScenario } from './bench.js';
import { type AgentKind, RUN_INPUT, TOOL_ANSWER } from './bench-agents.js';
import { quantile } from './figures.js';

const CONNECTIONS = 8;
const RUNS = 3_000;
const LEASE_MILLIS = 600_000;

/**
 * The ceiling of finished runs: the same SQL functions in the same order with the same contents as the service writes them,
 * called one after the other on 8 connections. No HTTP, no queue, no tool, no interpreter.
 */
export const sqlFunctions: CeilingScenario = {
  name: 'sql-functions',
  async run(bench: Bench): Promise<void> {
    const machine = await RunMachine.open(bench.databaseUrl, { poolSize: CONNECTIONS });
    try {
      const worker = await machine.aWorker(LEASE_MILLIS);
      for (const kind of ['one-tool', 'four-step'] as const) {
        await drive(machine, worker, kind, RUNS / 10);
        for (let repetition = 0; repetition < bench.repetitions; repetition++)
          await measure(bench, machine, worker, kind);
        await measureAlone(bench, machine, worker, kind);
      }
    } finally {
      await machine.close();
    }
  },
};

async function measure(bench: Bench, machine: RunMachine, worker: string, kind: AgentKind): Promise<void> {
  const runs = RUNS / bench.divisor;
  const walBefore = await walPosition(machine);
  const started = performance.now();
  await drive(machine, worker, kind, runs);
  const seconds = (performance.now() - started) / 1000;
  const wal = (await walPosition(machine)) - walBefore;
  bench.figures.add('sql-functions', null, `finished, ${kind}`, 'runs/s', runs / seconds);
  bench.figures.add('sql-functions', null, `WAL per run, ${kind}`, 'bytes', wal / runs);
}

/** The time that one run spends in the database when nothing competes. */
async function measureAlone(bench: Bench, machine: RunMachine, worker: string, kind: AgentKind): Promise<void> {
  const millis: number[] = [];
  for (let run = 0; run < RUNS / 10 / bench.divisor; run++) {
    const started = performance.now();
    await carryOut(machine, worker, kind);
    millis.push(performance.now() - started);
  }
  millis.sort((a, b) => a - b);
  bench.figures.add('sql-functions', null, `one run alone, ${kind}, p50`, 'ms', quantile(millis, 0.5));
}

async function drive(machine: RunMachine, worker: string, kind: AgentKind, runs: number): Promise<void> {
  let begun = 0;
  const loop = async (): Promise<void> => {
    while (begun++ < runs) await carryOut(machine, worker, kind);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
}

/** One run: k + 3 calls, here with k = 1. */
async function carryOut(machine: RunMachine, worker: string, kind: AgentKind): Promise<void> {
  const { journal } = machine;
  const creation = machine.aCreation({ input: RUN_INPUT });
  await journal.create(creation);
  const run = await journal.claim(creation.id, worker, randomUUID());
  if (!run) throw new Error(`The run ${creation.id} could not be claimed.`);
  const step = await begin(machine, run);
  const detail = { http_status: 200, response_summary: `200 application/json: ${JSON.stringify(TOOL_ANSWER)}` };
  const output = kind === 'one-tool' ? null : { order: 'A-1001', net: 100 };
  const verdict = await journal.finish(run, randomUUID(), {
    results: [{ n: step, state: 'succeeded', output: TOOL_ANSWER, detail }],
    notes: kind === 'one-tool' ? [] : NOTES,
    ending: { status: 'succeeded', output },
  });
  if (verdict !== 'ok') throw new Error(`The run ${run.id} could not be finished: ${verdict}`);
}

async function begin(machine: RunMachine, run: ClaimedRun): Promise<number> {
  const intent = {
    path: 'order',
    type: 'tool_call',
    tool: 'shop.get',
    scope: 'read',
    effect: 'read',
    request: { id: 'A-1001' },
  } as const;
  const advanced = await machine.journal.advance(run, randomUUID(), { results: [], notes: [], intents: [intent] });
  const n = advanced.verdict === 'ok' ? advanced.steps[0]?.n : undefined;
  if (n === undefined) throw new Error(`The run ${run.id} could not go on: ${advanced.verdict}`);
  return n;
}

/** What the four-step agent leaves in its trace beside the call. */
const NOTES: StepNote[] = [
  {
    path: 'open',
    type: 'assertion',
    state: 'succeeded',
    detail: { expression: 'steps.order.output.open' },
  },
  { path: 'result', type: 'output', state: 'succeeded', detail: { output: { order: 'A-1001', net: 100 } } },
];

async function walPosition(machine: RunMachine): Promise<number> {
  const [row] = await machine.query<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`);
  return Number(row?.bytes);
}
