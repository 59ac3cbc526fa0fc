import { randomNumbers } from '../random-numbers.js';
import {
  loadsOf,
  type MoveRule,
  placeByHash,
  placeByLoad,
  placeByRendezvous,
  rebalance,
  usableShare,
} from './placement.js';
import { ChangingLoads, type Demand, zipfShares } from './workspace-loads.js';

export const WAYS = ['hash', 'rendezvous', 'directory', 'directory and moves'] as const;
export type Way = (typeof WAYS)[number];

export interface YearSettings {
  workspaces: number;
  exponent: number;
  servers: number;
  /** What one run per second needs at one server: of a workspace with small responses, and with large responses. */
  perRun: { small: Demand; large: Demand };
  largeShare: number;
  /** Rule of the moves of one week. */
  rule: MoveRule;
}

export interface YearOutcome {
  /** Usable share of the capacity in each week, before the moves of the week. */
  usable: Readonly<Record<Way, number[]>>;
  /** Highest usable share of any placement in each week: the largest workspace fills at least one server. */
  best: number[];
  moves: number;
  /** Sum of the shares of all runs that the moved workspaces had. */
  movedShare: number;
}

const WEEKS = 52;

/** Simulates a year in which the loads of the workspaces change every week. The same seed gives the same year. */
export function simulateYear(settings: YearSettings, seed: number): YearOutcome {
  const { workspaces, servers } = settings;
  const random = randomNumbers(seed);
  const ids = Array.from({ length: workspaces }, (_, n) => `ws_${seed}_${n}`);
  const perRun = ids.map(() => (random() < settings.largeShare ? settings.perRun.large : settings.perRun.small));
  const loads = new ChangingLoads(zipfShares(workspaces, settings.exponent), random);
  const demands = (shares: readonly number[]): Demand[] =>
    shares.map((share, n) => [share * perRun[n]![0], share * perRun[n]![1]]);
  const directory = placeByLoad(demands(loads.current()), servers);
  const placements: Readonly<Record<Way, number[]>> = {
    hash: placeByHash(ids, servers),
    rendezvous: placeByRendezvous(ids, servers),
    directory,
    'directory and moves': [...directory],
  };
  const outcome: YearOutcome = {
    usable: { hash: [], rendezvous: [], directory: [], 'directory and moves': [] },
    best: [],
    moves: 0,
    movedShare: 0,
  };
  for (let week = 0; week < WEEKS; week++) {
    const shares = loads.current();
    const current = demands(shares);
    for (const way of WAYS) outcome.usable[way].push(usableShare(loadsOf(current, placements[way], servers)));
    outcome.best.push(bestShare(current, servers));
    const moved = rebalance(current, placements['directory and moves'], servers, settings.rule);
    outcome.moves += moved.length;
    outcome.movedShare += moved.reduce((sum, workspace) => sum + shares[workspace]!, 0);
    loads.nextWeek();
  }
  return outcome;
}

/** Upper bound of {@link usableShare} for any placement that keeps each workspace on one server. */
export function bestShare(demands: readonly Demand[], servers: number): number {
  const all = loadsOf(demands, new Array<number>(demands.length).fill(0), 1)[0]!;
  const even = Math.max(...all) / servers;
  return Math.min(1, even / Math.max(...demands.flat()));
}

export function movedByNewServer(place: (ids: string[], servers: number) => number[], servers: number): number {
  const ids = Array.from({ length: 10_000 }, (_, n) => `ws_${n}`);
  const before = place(ids, servers);
  return place(ids, servers + 1).filter((server, n) => server !== before[n]).length / ids.length;
}
