import type { Pool } from 'pg';

import { Ledger } from '../support/ledger.js';
import { type Stack, startStack } from '../support/stack.js';
import { AS_SHIPPED, type Bench } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { addProfiles, profileArguments } from './cpu-profile.js';
import { type Post, postMany } from './http-load.js';
import { peakMemory } from './process-usage.js';
import { CONNECTIONS, RUNS, secondsFromFirstToLast, startRequest, untilAllEnded, WARM_UP } from './throughput.js';

/** Turns for each repetition of the benchmark. Single turns differ by more than the limit of ten per cent. */
const TURNS = 3;

/** An API and a worker with a separate database, which also contains the queue. They execute the four-step agent. */
export class LoadedService {
  posts: readonly Post[];

  private constructor(
    readonly name: string,
    readonly stack: Stack,
    readonly database: Pool,
    readonly ledger: Ledger,
    agent: string,
  ) {
    this.posts = [startRequest(this, agent)];
  }

  static async start({ options, openDatabase }: Bench, name: string): Promise<LoadedService> {
    const { url: databaseUrl, database } = await openDatabase(`load_${fileNameOf(name)}`);
    const ledger = await Ledger.start();
    const env = { ...AS_SHIPPED, ...options.set, EGRESS_ALLOW: ledger.egressEntry };
    const stack = await startStack({
      databaseUrl,
      env,
      nodeArguments: profileArguments(options.profile, fileNameOf(name)),
    });
    const agent = await stack.client.createAgent(benchAgent('four-step', ledger.url));
    return new LoadedService(name, stack, database, ledger, agent);
  }

  /** Executes `runs` runs, and measures how many of them the service accepts and finishes per second. */
  async load(runs: number): Promise<{ accepted: number; finished: number }> {
    this.ledger.reset();
    this.ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
    const { perSecond: accepted } = await postMany(this.posts, runs, CONNECTIONS, 202);
    await untilAllEnded(this);
    return { accepted, finished: runs / (await secondsFromFirstToLast(this, null, runs)) };
  }

  get pids(): { api: number; worker: number } {
    return { api: this.stack.api.pid, worker: this.stack.workers[0]?.pid ?? 0 };
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.ledger.close();
  }
}

interface Comparison {
  scenario: string;
  base: string;
  name: string;
  runs?: number;
}

/**
 * Measures two services in turns, with the load of the scenario `four-step`. Adds their figures, and the ratio
 * `name : base`. `prepare` changes the service `name` before the load. A turn consists of `runs` runs of one service.
 */
export async function compareLoads(
  bench: Bench,
  { scenario, base, name, runs = RUNS / bench.divisor }: Comparison,
  prepare: (service: LoadedService) => Promise<void>,
): Promise<void> {
  const services: LoadedService[] = [];
  let since: bigint | undefined;
  try {
    for (const each of [base, name]) services.push(await LoadedService.start(bench, each));
    await prepare(services[1]!);
    for (const service of services) await service.load(WARM_UP / bench.divisor);
    since = process.hrtime.bigint();
    for (let turn = 0; turn < TURNS * bench.repetitions; turn++) {
      const [first, second] = [
        await measure(bench, scenario, services[0]!, runs),
        await measure(bench, scenario, services[1]!, runs),
      ];
      for (const rate of ['finished', 'accepted'] as const)
        bench.figures.add(scenario, 'postgres', `${rate}, ${name} : ${base}`, '×', second[rate] / first[rate]);
    }
  } finally {
    for (const service of services) await service.stop();
  }
  for (const service of services) await addProfiles(bench, fileNameOf(service.name), service.database, since);
}

function fileNameOf(name: string): string {
  return name.replaceAll(' ', '_');
}

async function measure({ figures }: Bench, scenario: string, service: LoadedService, runs: number) {
  const add = (name: string, unit: string, value: number): void =>
    figures.add(scenario, 'postgres', `${service.name}: ${name}`, unit, value);
  let rates = { accepted: NaN, finished: NaN };
  const memory = await peakMemory(service.pids, async () => {
    rates = await service.load(runs);
  });
  add('finished', 'runs/s', rates.finished);
  add('accepted', 'runs/s', rates.accepted);
  add('memory, api', 'MiB', memory.api ?? NaN);
  add('memory, worker', 'MiB', memory.worker ?? NaN);
  return rates;
}
