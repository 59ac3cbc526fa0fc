import { randomUUID } from 'node:crypto';

import type { ClaimedRun, StepNote } from '../../libs/runs/src/records/run-commands.js';
import { RunMachine } from '../../libs/runs/src/testing/run-machine.js';
import type { Bench, CeilingScenario } from './bench.js';
import { type AgentKind, RUN_INPUT, TOOL_ANSWER } from './bench-agents.js';
import { quantile } from './figures.js';

const CONNECTIONS = 8;
/** Number of concurrent runs that share commits. It is the number of concurrency slots of a worker. */
const TOGETHER = 16;
const RUNS = 3_000;
const LEASE_MILLIS = 600_000;

type Store = RunMachine['store'];

/**
 * Measures an upper bound for the number of finished runs per second. Calls the SQL functions of a run in the same
 * order and with the same contents as the service, on 8 connections, with one commit per call. HTTP, queue, tool and
 * interpreter are not included. For a second figure, 16 concurrent runs share statements and commits, as in one worker.
 */
export const sqlFunctions: CeilingScenario = {
  name: 'sql-functions',
  async run(bench: Bench): Promise<void> {
    const machine = await RunMachine.open(bench.databaseUrl, { poolSize: CONNECTIONS });
    try {
      const worker = await machine.aWorker(LEASE_MILLIS);
      for (const kind of ['one-tool', 'four-step'] as const) {
        const apart = Array.from({ length: CONNECTIONS }, () => machine.inOtherProcess().store);
        const together = Array.from({ length: TOGETHER }, () => machine.store);
        await drive({ machine, worker, kind }, apart, RUNS / 10);
        for (let repetition = 0; repetition < bench.repetitions; repetition++) {
          await measure(bench, { machine, worker, kind }, { name: kind, stores: apart });
          await measure(bench, { machine, worker, kind }, { name: `${kind}, sharing commits`, stores: together });
        }
        await measureAlone(bench, { machine, worker, kind });
      }
    } finally {
      await machine.close();
    }
  },
};

interface Driven {
  machine: RunMachine;
  worker: string;
  kind: AgentKind;
}

async function measure(
  bench: Bench,
  driven: Driven,
  { name, stores }: { name: string; stores: readonly Store[] },
): Promise<void> {
  const runs = RUNS / bench.divisor;
  const walBefore = await walPosition(driven.machine);
  const started = performance.now();
  await drive(driven, stores, runs);
  const seconds = (performance.now() - started) / 1000;
  const wal = (await walPosition(driven.machine)) - walBefore;
  bench.figures.add('sql-functions', null, `finished, ${name}`, 'runs/s', runs / seconds);
  bench.figures.add('sql-functions', null, `WAL per run, ${name}`, 'bytes', wal / runs);
}

async function measureAlone(bench: Bench, driven: Driven): Promise<void> {
  const millis: number[] = [];
  for (let run = 0; run < RUNS / 10 / bench.divisor; run++) {
    const started = performance.now();
    await carryOut(driven, driven.machine.store);
    millis.push(performance.now() - started);
  }
  millis.sort((a, b) => a - b);
  bench.figures.add('sql-functions', null, `one run alone, ${driven.kind}, p50`, 'ms', quantile(millis, 0.5));
}

async function drive(driven: Driven, stores: readonly Store[], runs: number): Promise<void> {
  let begun = 0;
  const loop = async (store: Store): Promise<void> => {
    while (begun++ < runs) await carryOut(driven, store);
  };
  await Promise.all(stores.map(loop));
}

/** Executes one run. A run with k tool calls needs k + 3 calls of SQL functions. Here k is 1. */
async function carryOut({ machine, worker, kind }: Driven, store: Store): Promise<void> {
  const creation = machine.aCreation({ input: RUN_INPUT });
  await store.create(creation);
  const run = await store.claim(creation.id, worker, randomUUID());
  if (!run) throw new Error(`The run ${creation.id} could not be claimed.`);
  const step = await begin(store, run);
  const detail = { http_status: 200, response_summary: `200 application/json: ${JSON.stringify(TOOL_ANSWER)}` };
  const output = kind === 'one-tool' ? null : { order: 'A-1001', net: 100 };
  const verdict = await store.finish(run, randomUUID(), {
    results: [{ n: step, state: 'succeeded', output: TOOL_ANSWER, detail }],
    notes: kind === 'one-tool' ? [] : NOTES,
    outcome: { status: 'succeeded', output },
  });
  if (verdict !== 'ok') throw new Error(`The run ${run.id} could not be finished: ${verdict}`);
}

async function begin(store: Store, run: ClaimedRun): Promise<number> {
  const intent = {
    path: 'order',
    type: 'tool_call',
    tool: 'shop.get',
    scope: 'read',
    effect: 'read',
    request: { id: 'A-1001' },
  } as const;
  const advanced = await store.advance(run, randomUUID(), { results: [], notes: [], intents: [intent] });
  const n = advanced.verdict === 'ok' ? advanced.steps[0]?.n : undefined;
  if (n === undefined) throw new Error(`The run ${run.id} could not continue: ${advanced.verdict}`);
  return n;
}

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
