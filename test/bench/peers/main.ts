import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';

import { errorText } from '@app/kernel';
import type { Pool } from 'pg';

import { Ledger } from '../../support/ledger.js';
import { testedQueues } from '../../support/tested-queues.js';
import { BenchDatabase } from '../bench-database.js';
import { Cleanup } from '../cleanup.js';
import { Figures, summary, table } from '../figures.js';
import { describeMachine, machineText } from '../machine.js';
import { compare, comparisonTable, type Target } from './comparison.js';
import type { Contender } from './contender.js';
import { dbos, DBOS_PACKAGE, DBOS_QUEUES } from './dbos.js';
import { n8n, N8N_PACKAGE } from './n8n.js';
import { installedFile, installPeer, NODE_PACKAGE, type PeerPackage } from './peer-packages.js';
import { restate, RESTATE_PACKAGES, RESTATE_SERVERS } from './restate.js';
import { readPeerOptions, type PeerOptions } from './peer-options.js';
import { FIGURES, measureRound } from './round.js';
import { THIS_SERVICE, thisService } from './service.js';

const N8N = ['n8n'];
const DBOS = Object.keys(DBOS_QUEUES);
const RESTATE = Object.keys(RESTATE_SERVERS);
const TARGETS: readonly Target[] = [
  { figure: FIGURES.finished, of: N8N, atLeast: 14 },
  { figure: FIGURES.finished, of: DBOS, atLeast: 5 },
  { figure: FIGURES.finished, of: RESTATE, atLeast: 1 },
  { figure: FIGURES.accepted, of: N8N, atLeast: 10 },
  { figure: FIGURES.accepted, of: RESTATE, atLeast: 0.8 },
  { figure: FIGURES.acceptedAlone, of: N8N, atLeast: 10 },
  { figure: FIGURES.p50, of: N8N, atMost: 0.6 },
  { figure: FIGURES.p50, of: RESTATE, atMost: 0.6 },
  { figure: FIGURES.memory, of: N8N, atMost: 0.5 },
  { figure: FIGURES.memory, of: RESTATE, atMost: 0.6 },
];
const PACKAGES = { n8n: [N8N_PACKAGE], dbos: [DBOS_PACKAGE], restate: RESTATE_PACKAGES };
const QUICK_DIVISOR = 5;
const ROUND_WITHIN_MS = 300_000;

const begun = performance.now();
const cleanup = new Cleanup(say);

function say(line: string): void {
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}

async function bench(options: PeerOptions): Promise<void> {
  const redisUrl = (await testedQueues()).find((queue) => queue.redisUrl !== undefined)?.redisUrl;
  if (redisUrl === undefined)
    throw new Error('n8n in queue mode needs a Redis at 127.0.0.1:6379, and so does the comparison.');
  const installed = await install(options);
  const server = await BenchDatabase.start(say, false);
  cleanup.addCleanup(() => server.stop());
  const database = server.pool();
  const machine = await describeMachine(database, redisUrl);
  await database.end();
  process.stdout.write(`${machineText(machine)}\n${installed.map(title).join(', ')}\n\n`);

  const figures = new Figures();
  const contenders = await prepare({ options, installed, server, redisUrl });
  // Ends the benchmark if it takes too long because a contender hangs. SIGTERM makes the process run the cleanup work.
  setTimeout(() => process.kill(process.pid, 'SIGTERM'), options.rounds * ROUND_WITHIN_MS).unref();
  for (let round = 0; round < options.rounds; round++)
    for (const contender of [...contenders.everyone]) {
      say(`round ${round + 1} of ${options.rounds}: ${contender.name}`);
      const running = await contender.start().catch((error: unknown) => contenders.leaveOut(contender, error));
      if (running === undefined) continue;
      const end = cleanup.addCleanup(() => running.stop());
      await measureRound(contender, running, {
        figures,
        ledger: contenders.ledger,
        openPool: (url): Pool => server.pool(url),
        divisor: options.quick ? QUICK_DIVISOR : 1,
      });
      await end();
    }

  const comparisons = compare(figures.all, THIS_SERVICE, TARGETS);
  process.stdout.write(`${table(figures.all)}\n\n${comparisonTable(comparisons)}\n`);
  if (options.json === undefined) return;
  const peers = installed.map(({ name, version }) => ({ name, version }));
  const all = figures.all.map((figure) => ({ ...figure, ...summary(figure.values) }));
  await writeFile(options.json, `${JSON.stringify({ machine, peers, figures: all, comparisons }, null, 2)}\n`);
}

/**
 * Installs the peers, and returns those that could be installed. If a peer cannot be installed, the comparison
 * continues without it.
 */
async function install({ only, packages }: PeerOptions): Promise<PeerPackage[]> {
  await installPeer(packages, NODE_PACKAGE, say);
  const installed: PeerPackage[] = [NODE_PACKAGE];
  for (const peer of only) {
    try {
      for (const each of PACKAGES[peer]) await installPeer(packages, each, say);
      installed.push(...PACKAGES[peer]);
    } catch (error) {
      sayMissing(peer, error);
    }
  }
  return installed;
}

interface Place {
  options: PeerOptions;
  installed: readonly PeerPackage[];
  server: BenchDatabase;
  redisUrl: string;
}

async function prepare({ options, installed, server, redisUrl }: Place) {
  const { packages } = options;
  const ledger = await Ledger.start();
  cleanup.addCleanup(() => ledger.close());
  const everyone: Contender[] = [];
  if (installed.includes(N8N_PACKAGE)) {
    const contender = await n8n({ packages, databaseUrl: await server.createEmpty('n8n'), redisUrl, ledger });
    cleanup.addCleanup(() => contender.remove());
    everyone.push(contender);
  }
  if (installed.includes(DBOS_PACKAGE))
    for (const [index, [name, queue]] of Object.entries(DBOS_QUEUES).entries())
      everyone.push(dbos(name, queue, { packages, databaseUrl: await server.createEmpty(`dbos_${index}`), ledger }));
  if (RESTATE_PACKAGES.every((each) => installed.includes(each)))
    for (const [name, settings] of Object.entries(RESTATE_SERVERS)) {
      const contender = await restate(name, settings, { packages, ledger });
      cleanup.addCleanup(() => contender.remove());
      everyone.push(contender);
    }
  const node = installedFile(packages, NODE_PACKAGE, 'bin/node');
  everyone.push(thisService({ databaseUrl: await server.create('this_service'), redisUrl, ledger, node }));
  /**
   * Excludes a contender from the comparison, because its processes did not start.
   *
   * @throws if the contender is this service, because there is nothing to compare without it
   */
  const leaveOut = (contender: Contender, error: unknown): undefined => {
    if (contender.name === THIS_SERVICE) throw error;
    sayMissing(contender.name, error);
    everyone.splice(everyone.indexOf(contender), 1);
  };
  return { ledger, everyone, leaveOut };
}

function sayMissing(peer: string, error: unknown): void {
  say(`${peer} is NOT compared: ${errorText(error)}`);
}

function title({ name, version }: PeerPackage): string {
  return `${name} ${version}`;
}

await cleanup.runWithCleanup(() => bench(readPeerOptions(process.argv.slice(2))));
