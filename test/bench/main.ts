import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';

import type { Pool } from 'pg';

import { Ledger } from '../support/ledger.js';
import { startStack } from '../support/stack.js';
import { type TestedQueue, testedQueues } from '../support/tested-queues.js';
import { approvalRoundTrip } from './approval-round-trip.js';
import { authentication } from './authentication.js';
import { bareHttp } from './bare-http.js';
import { AS_SHIPPED, type Bench, type CeilingScenario, type ServiceScenario } from './bench.js';
import { BenchDatabase } from './bench-database.js';
import { type BenchOptions, readBenchOptions } from './bench-options.js';
import { commandLine } from './command-start.js';
import { consolePages } from './console-pages.js';
import { crashRecovery } from './crash-recovery.js';
import { PAGES, pages, planCostOf } from './pages.js';
import { addProfiles, profileArguments } from './cpu-profile.js';
import { emergencyStop } from './emergency-stop.js';
import { Cleanup } from './cleanup.js';
import { Figures, summary, table } from './figures.js';
import { fullTables } from './full-tables.js';
import { latency } from './latency.js';
import { codeSteps } from './code-steps.js';
import { definitions } from './definitions.js';
import { loops } from './loops.js';
import { evaluation } from './evaluation.js';
import { mcpCalls } from './mcp-calls.js';
import { modelRuns } from './model-runs.js';
import { describeMachine, type Machine, machineText } from './machine.js';
import { residentMegabytes } from './process-usage.js';
import { retention } from './retention.js';
import { roundTrips } from './round-trips.js';
import { sqlFunctions } from './sql-functions.js';
import { acceptAlone, throughput } from './throughput.js';
import { waitingRuns } from './waiting-runs.js';
import { scaling } from './scaling.js';
import { sourceSyncs } from './source-syncs.js';
import { schedules, webhooks } from './triggers.js';
import { uploads } from './uploads.js';
import { webhooksOut } from './webhooks-out.js';
import { workspaces } from './many-workspaces.js';

const CEILINGS: readonly CeilingScenario[] = [
  bareHttp,
  sqlFunctions,
  definitions,
  codeSteps,
  loops,
  modelRuns,
  uploads,
  pages,
  consolePages,
  commandLine,
  fullTables,
  workspaces,
  retention,
];
const SCENARIOS: readonly ServiceScenario[] = [
  latency,
  mcpCalls,
  authentication,
  throughput('one-tool'),
  throughput('four-step'),
  roundTrips,
  evaluation,
  approvalRoundTrip,
  emergencyStop,
  waitingRuns,
  crashRecovery,
  scaling,
  webhooksOut,
  sourceSyncs,
  schedules,
  // `webhooks` and `acceptAlone` come last, because they stop the workers and leave runs queued.
  webhooks,
  acceptAlone,
];

/** Limits that the documentation promises, in the unit of the figure. */
const LIMITS = [
  { scenario: 'definition', name: '64 KiB of YAML checked', value: 20 },
  { scenario: 'code', name: 'code step, warm, p50', value: 2 },
  { scenario: 'loop', name: 'memory, worker, 4 × 1000 rounds', value: 200 },
  ...PAGES.map((page) => ({ scenario: 'pages', name: planCostOf(page), value: 1.3 })),
  { scenario: 'authentication', name: 'time by session, of that by key', value: 1.1 },
  { scenario: 'command-line', name: 'help of a command, beyond Node', value: 100 },
  { scenario: 'mcp-calls', name: 'added by a call, p50', value: 3 },
  { scenario: 'evaluation', name: 'of the ordinary runs', value: 1.5 },
  { scenario: 'model-runs', name: 'memory, worker, 200 runs under way', value: 300 },
  { scenario: 'emergency-stop', name: 'idle, p99', value: 50 },
  { scenario: 'emergency-stop', name: 'under load, p99', value: 1_500 },
  { scenario: 'crash-recovery', name: 'kill to all finished', value: 20 },
  // These figures must be at least the limit.
  { scenario: 'uploads', name: 'of the bare server', value: 0.7 },
  { scenario: 'full-tables', name: 'finished, full : empty', value: 0.9 },
  { scenario: 'full-tables', name: 'accepted, full : empty', value: 0.9 },
  { scenario: 'retention', name: 'finished, last : first', value: 0.9 },
];

const profiles: string[] = [];
const begun = performance.now();
const cleanup = new Cleanup(say);

function say(line: string): void {
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}

async function bench(options: BenchOptions): Promise<void> {
  const queues = await testedQueues();
  if (options.profile !== undefined) await mkdir(options.profile, { recursive: true });
  const server = await BenchDatabase.start(say, options.profile !== undefined);
  cleanup.addCleanup(() => server.stop());
  const figures = new Figures();
  const database = server.pool();
  const machine = await describeMachine(database, queues.find((queue) => queue.redisUrl)?.redisUrl);
  await database.end();
  const set = Object.entries(options.set).map(([name, value]) => `${name}=${value}`);
  process.stdout.write(`${[machineText(machine), ...set].join('\n')}\n\n`);

  const wanted = ({ name, onlyByName }: { name: string; onlyByName?: true }): boolean =>
    options.only.length === 0 ? !onlyByName : options.only.includes(name);
  const ceilings = CEILINGS.filter(wanted);
  if (ceilings.length > 0) await runCeilings(ceilings, await openBench(server, 'ceilings', options, figures));
  for (const queue of queues) {
    const name = queue.redisUrl === undefined ? 'postgres' : 'redis';
    const scenarios = SCENARIOS.filter((scenario) => wanted(scenario) && (scenario.onlyWith ?? name) === name);
    if (scenarios.length === 0) continue;
    if (queue.missing !== undefined) say(queue.missing);
    else await runService(scenarios, queue, name, await openBench(server, `queue_in_${name}`, options, figures));
  }
  await report(options, machine, figures);
}

async function openBench(
  server: BenchDatabase,
  databaseName: string,
  options: BenchOptions,
  figures: Figures,
): Promise<Bench> {
  const openDatabase = async (name: string): Promise<{ url: string; database: Pool }> => {
    const url = await server.create(name);
    const database = server.pool(url);
    cleanup.addCleanup(() => database.end());
    return { url, database };
  };
  const { url: databaseUrl, database } = await openDatabase(databaseName);
  const [repetitions, divisor] = options.quick ? [1, 5] : [3, 1];
  return { options, figures, profiles, databaseUrl, database, openDatabase, repetitions, divisor, say };
}

async function runCeilings(ceilings: readonly CeilingScenario[], context: Bench): Promise<void> {
  for (const scenario of ceilings) {
    say(scenario.name);
    await scenario.run(context);
  }
}

async function runService(
  scenarios: readonly ServiceScenario[],
  { redisUrl }: TestedQueue,
  queue: string,
  context: Bench,
): Promise<void> {
  const { options, databaseUrl, figures } = context;
  const ledger = await Ledger.start();
  const stack = await startStack({
    databaseUrl,
    redisUrl,
    env: { ...AS_SHIPPED, ...options.set, EGRESS_ALLOW: '127.0.0.1/32' },
    nodeArguments: profileArguments(options.profile, queue),
  });
  const end = cleanup.addCleanup(async () => {
    await stack.stop();
    await ledger.close();
  });
  for (const [app, pid] of [
    ['api', stack.api.pid],
    ['worker', stack.workers[0]?.pid ?? 0],
  ] as const) {
    const memory = await residentMegabytes(pid);
    if (memory !== undefined) figures.add('after start', queue, `memory, ${app}`, 'MiB', memory);
  }
  const since = process.hrtime.bigint();
  for (const scenario of scenarios) {
    say(`${scenario.name}, queue in ${queue}`);
    await scenario.run(context, { queue, redisUrl, stack, ledger });
  }
  await end();
  await addProfiles(context, queue, context.database, since);
}

async function report({ json, set }: BenchOptions, machine: Machine, figures: Figures): Promise<void> {
  for (const kind of ['one-tool', 'four-step']) {
    figures.compare(kind, 'finished', 'sql-functions', `finished, ${kind}`);
    figures.compare(kind, 'accepted', 'bare-http', 'answered');
  }
  figures.compare('accept-alone', 'accepted', 'bare-http', 'answered');
  for (const { scenario, name, value } of LIMITS) figures.limit(scenario, name, value);
  process.stdout.write(`${table(figures.all)}\n`);
  if (profiles.length > 0) process.stdout.write(`\n${profiles.join('\n\n')}\n`);
  if (json === undefined) return;
  const all = figures.all.map((figure) => ({ ...figure, ...summary(figure.values) }));
  await writeFile(json, `${JSON.stringify({ machine, set, figures: all }, null, 2)}\n`);
}

await cleanup.runWithCleanup(() =>
  bench(
    readBenchOptions(
      process.argv.slice(2),
      [...CEILINGS, ...SCENARIOS].map(({ name }) => name),
    ),
  ),
);
