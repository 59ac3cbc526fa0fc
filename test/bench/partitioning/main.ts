import { aligned, number, quantile } from '../figures.js';
import { type Fleet, fleetCapacity, type RunCosts, usefulServers } from './fleet-limits.js';
import {
  FOUR_STEP_RUN,
  LARGE_RESPONSES_BYTES,
  MOVE_SPEED,
  PROCESS_BUSY,
  PROCESS_COSTS,
  SERVER_LIMITS,
  SLOW_RUN,
  STORED_RUN,
} from './measured-costs.js';
import { placeByHash, placeByRendezvous } from './placement.js';
import { movedByNewServer, simulateYear, WAYS, type Way, type YearSettings } from './placement-year.js';
import { type Demand, zipfShares } from './workspace-loads.js';
import { moveOf } from './workspace-move.js';

const WORKSPACES = 1_000;
const EXPONENTS = [0.6, 0.8, 1, 1.2];
const PROFILE = 0.8;
const SERVERS = [1, 2, 4, 8, 16];
const SEEDS = Array.from({ length: 10 }, (_, n) => n + 1);
const RULE = { tolerance: 1.1, moves: 10 };

const { cores, walBytes } = FOUR_STEP_RUN.redis;
const perRun = (bytes: number): Demand => [cores / SERVER_LIMITS.cores, bytes / SERVER_LIMITS.walBytes];
const PER_RUN = { small: perRun(walBytes), large: perRun(walBytes + LARGE_RESPONSES_BYTES) };

interface Years {
  usable: Record<Way | 'best', number[]>;
  movesPerWeek: number;
  movedPerYear: number;
}

function years(settings: Pick<YearSettings, 'exponent' | 'servers'> & Partial<YearSettings>): Years {
  const usable: Years['usable'] = { hash: [], rendezvous: [], directory: [], 'directory and moves': [], best: [] };
  let [moves, movedShare] = [0, 0];
  for (const seed of SEEDS) {
    const base = { workspaces: WORKSPACES, perRun: PER_RUN, largeShare: 0, rule: RULE };
    const year = simulateYear({ ...base, ...settings }, seed);
    for (const way of WAYS) usable[way].push(...year.usable[way]);
    usable.best.push(...year.best);
    moves += year.moves;
    movedShare += year.movedShare;
  }
  return { usable, movesPerWeek: moves / SEEDS.length / 52, movedPerYear: movedShare / SEEDS.length };
}

function meanAndLow(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  return `${percent(mean(values))} (${percent(quantile(sorted, 0.1))})`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function print(title: string, head: readonly string[], lines: readonly string[][]): void {
  process.stdout.write(`${title}\n\n${aligned(head, lines)}\n\n`);
}

function usableHead(first: string): string[] {
  return [first, 'servers', ...WAYS, 'best possible', 'moves/week', 'load moved/year'];
}

function usableLine(name: string, servers: number, { usable, movesPerWeek, movedPerYear }: Years): string[] {
  const shares = WAYS.map((way) => meanAndLow(usable[way]));
  return [name, String(servers), ...shares, percent(mean(usable.best)), number(movesPerWeek), percent(movedPerYear)];
}

function printUsableShares(): Map<number, number> {
  const ofProfile = new Map<number, number>();
  const lines = EXPONENTS.flatMap((exponent) =>
    SERVERS.map((servers) => {
      const simulated = years({ exponent, servers });
      if (exponent === PROFILE) ofProfile.set(servers, mean(simulated.usable['directory and moves']));
      return usableLine(String(exponent), servers, simulated);
    }),
  );
  print(
    `Usable share of the capacity, ${WORKSPACES} workspaces, ${SEEDS.length} years; in brackets: the worst tenth of the weeks`,
    usableHead('exponent'),
    lines,
  );
  return ofProfile;
}

function printVariants(): void {
  const variants: [string, Partial<YearSettings>][] = [
    ['100 workspaces', { workspaces: 100 }],
    ['10 000 workspaces', { workspaces: 10_000 }],
    ['large responses in a tenth of the workspaces', { largeShare: 0.1 }],
    ['tolerance 1.05, 50 moves a week', { rule: { tolerance: 1.05, moves: 50 } }],
  ];
  print(
    'Variants, exponent 1',
    usableHead('variant'),
    variants.map(([name, settings]) => usableLine(name, 4, years({ ...settings, exponent: 1, servers: 4 }))),
  );
}

function printServer(): void {
  const kinds: [string, { cores: number; walBytes: number }][] = [
    ['queue in Postgres', FOUR_STEP_RUN.postgres],
    ['queue in Redis', FOUR_STEP_RUN.redis],
    ['queue in Redis, large responses', { cores, walBytes: walBytes + LARGE_RESPONSES_BYTES }],
  ];
  print(
    'One server: runs/s at which a resource reaches its limit',
    ['runs with four steps', 'cores', 'WAL'],
    kinds.map(([name, run]) => [
      name,
      number(SERVER_LIMITS.cores / run.cores),
      number(SERVER_LIMITS.walBytes / run.walBytes),
    ]),
  );
}

function printLargest(): void {
  const lines = [100, 1_000, 10_000].flatMap((workspaces) =>
    EXPONENTS.map((exponent) => {
      const [largest = 1] = zipfShares(workspaces, exponent);
      const fullServer = Math.min(SERVER_LIMITS.cores / cores, SERVER_LIMITS.walBytes / walBytes);
      const useful = usefulServers(largest);
      return [String(workspaces), String(exponent), percent(largest), String(useful), number(fullServer / largest)];
    }),
  );
  print(
    'The largest workspace',
    ['workspaces', 'exponent', 'its share', 'servers that the load can use', 'runs/s at which it fills a server'],
    lines,
  );
}

function printNewServer(): void {
  const lines = [1, 2, 4, 8, 15].map((servers) => [
    `${servers} to ${servers + 1}`,
    percent(movedByNewServer(placeByHash, servers)),
    percent(movedByNewServer(placeByRendezvous, servers)),
  ]);
  print('Workspaces that move when a server is added', ['servers', 'hash', 'rendezvous'], lines);
}

const FAST: RunCosts = {
  cores,
  walBytes,
  workers: FOUR_STEP_RUN.workerCores / PROCESS_BUSY,
  apis: FOUR_STEP_RUN.apiCores / PROCESS_BUSY,
};
const SLOW: RunCosts = { ...FAST, workers: SLOW_RUN.seconds / SLOW_RUN.slots };

function printLimits(name: string, run: RunCosts, usable: ReadonlyMap<number, number>): void {
  const lines = [1, 4, 16].flatMap((servers) =>
    (['all', 'own workers', 'installations'] as const).flatMap((topology) =>
      [false, true].map((pooled) => {
        const hottest = 1 / (servers * usable.get(servers)!);
        const fleet: Fleet = {
          ...{ servers, topology, pooled, hottest, run },
          ...{ process: PROCESS_COSTS, limits: SERVER_LIMITS },
        };
        return [String(servers), topology, pooled ? 'yes' : 'no', ...limitCells(fleet)];
      }),
    ),
  );
  print(
    `The first limit: ${name}; exponent ${PROFILE}, directory and moves; the last three columns are of the hottest server`,
    ['servers', 'processes', 'PgBouncer', 'runs/s', 'first', 'workers', 'connections', 'polls, cores', 'polls/s'],
    lines,
  );
}

function limitCells(fleet: Fleet): string[] {
  const { runsPerSecond, first, connections, pollShare, pollStatements } = fleetCapacity(fleet);
  const workers = Math.ceil(runsPerSecond * fleet.run.workers);
  const atHottest = [number(Math.round(connections)), percent(pollShare), number(Math.round(pollStatements))];
  return [number(runsPerSecond), first, number(workers), ...atHottest];
}

function printMoves(): void {
  const lines = [1_000, 100_000, 1_000_000, 10_000_000].map((runsPerDay) => {
    const move = moveOf({ ...STORED_RUN, runsPerDay }, MOVE_SPEED);
    const { rows, passes, copySeconds, stopSeconds, stopSecondsAtOnce } = move;
    return [runsPerDay, rows, copySeconds, passes, stopSeconds, stopSecondsAtOnce].map(number);
  });
  print(
    `A move of a workspace, ${MOVE_SPEED.rowsPerSecond} rows/s`,
    ['runs/day', 'rows', 'copy, s', 'passes', 'stop, s', 'stop if all is copied in it, s'],
    lines,
  );
}

const usable = printUsableShares();
printVariants();
printServer();
printLargest();
printNewServer();
printLimits('tools that respond at once', FAST, usable);
printLimits('runs of 10 s, 200 slots a worker', SLOW, usable);
printMoves();
