import { randomNumbers } from '../random-numbers.js';
import { type Fleet, fleetCapacity, usefulServers } from './fleet-limits.js';
import { loadsOf, placeByHash, placeByLoad, placeByRendezvous, rebalance, usableShare } from './placement.js';
import { bestShare, movedByNewServer, simulateYear, type YearSettings } from './placement-year.js';
import { ChangingLoads, type Demand, zipfShares } from './workspace-loads.js';
import { moveOf, rowsOf } from './workspace-move.js';

const sizes = (...loads: number[]): Demand[] => loads.map((load) => [load, load]);
const ids = Array.from({ length: 10_000 }, (_, n) => `ws_${n}`);

describe('loads of workspaces', () => {
  it('have shares that sum to one and follow the law of Zipf', () => {
    const [first, second, third, fourth] = zipfShares(4, 1);
    expect([first, second, third, fourth]).toEqual(
      [12 / 25, 6 / 25, 4 / 25, 3 / 25].map((each) => expect.closeTo(each)),
    );
    expect(zipfShares(4, 0)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it('change from week to week, but keep their distribution', () => {
    const shares = zipfShares(50, 1);
    const loads = new ChangingLoads(shares, randomNumbers(7));
    const before = loads.current();
    for (let week = 0; week < 10; week++) loads.nextWeek();
    const after = loads.current();
    expect(after).not.toEqual(before);
    expect(after.toSorted((a, b) => b - a)).toEqual(shares);
  });
});

describe('a placement', () => {
  it('can use the whole capacity only if the load is even', () => {
    expect(usableShare(sizes(5, 5))).toBe(1);
    expect(usableShare(sizes(10, 0, 0, 0))).toBe(0.25);
    expect(usableShare(sizes(6, 4))).toBeCloseTo(5 / 6);
  });

  it('is limited by the resource that is scarcer on the hottest server', () => {
    expect(
      usableShare([
        [1, 3],
        [1, 1],
      ]),
    ).toBeCloseTo(2 / 3);
  });

  it('by hash gives each server about the same number of workspaces', () => {
    for (const place of [placeByHash, placeByRendezvous]) {
      const counts = loadsOf(
        ids.map((): Demand => [1, 1]),
        place(ids, 4),
        4,
      ).map(([count]) => count);
      expect(counts.reduce((sum, each) => sum + each)).toBe(10_000);
      for (const count of counts) expect(Math.abs(count - 2_500)).toBeLessThan(200);
    }
  });

  it('by directory puts each workspace on the least loaded server', () => {
    expect(placeByLoad(sizes(3, 1, 1, 2, 2), 2)).toEqual([0, 1, 1, 1, 0]);
  });

  it('moves most workspaces if a server is added by hash, and 1 / servers of them by rendezvous', () => {
    expect(movedByNewServer(placeByHash, 4)).toBeCloseTo(4 / 5, 1);
    expect(movedByNewServer(placeByRendezvous, 4)).toBeCloseTo(1 / 5, 1);
    const [before, after] = [placeByRendezvous(ids, 4), placeByRendezvous(ids, 5)];
    expect(after.filter((server, n) => server !== before[n] && server !== 4)).toEqual([]);
  });
});

describe('moves', () => {
  it('move the smallest workspace that makes the hottest server cool enough', () => {
    const placement = [0, 0, 0, 1];
    expect(rebalance(sizes(5, 3, 1, 3), placement, 2, { tolerance: 1.1, moves: 5 })).toEqual([1]);
    expect(placement).toEqual([0, 1, 0, 1]);
  });

  it('move the largest workspace that fits if none is enough, and stop at their maximum number', () => {
    const demands = sizes(4, 2, 2, 2, 2);
    const placement = [0, 0, 0, 0, 0];
    expect(rebalance(demands, placement, 3, { tolerance: 1, moves: 2 })).toEqual([0, 1]);
    expect(loadsOf(demands, placement, 3)).toEqual(sizes(6, 4, 2));
  });

  it('stop if no move makes the hottest server cooler', () => {
    const placement = [0, 1];
    expect(rebalance(sizes(9, 1), placement, 2, { tolerance: 1.1, moves: 5 })).toEqual([]);
    expect(placement).toEqual([0, 1]);
  });
});

describe('a simulated year', () => {
  const settings: YearSettings = {
    workspaces: 200,
    exponent: 1,
    servers: 4,
    perRun: { small: [1, 1], large: [1, 9] },
    largeShare: 0,
    rule: { tolerance: 1.05, moves: 10 },
  };

  it('is the same for the same seed', () => {
    expect(simulateYear(settings, 3)).toEqual(simulateYear(settings, 3));
    expect(simulateYear(settings, 3)).not.toEqual(simulateYear(settings, 4));
  });

  it('never uses more than the best placement', () => {
    const { usable, best } = simulateYear({ ...settings, largeShare: 0.1, servers: 8 }, 5);
    for (const weeks of Object.values(usable))
      for (const [week, share] of weeks.entries()) expect(share).toBeLessThanOrEqual(best[week]! + 1e-9);
  });

  it('has one server without any loss', () => {
    expect(simulateYear({ ...settings, servers: 1 }, 3)).toMatchObject({ moves: 0, movedShare: 0 });
  });

  it('is limited by the largest workspace', () => {
    expect(bestShare(sizes(6, 2, 2), 2)).toBeCloseTo(5 / 6);
    expect(bestShare(sizes(5, 3, 2), 2)).toBe(1);
    expect(usefulServers(0.3)).toBe(3);
  });
});

describe('the capacity of a fleet', () => {
  const fleet: Fleet = {
    servers: 2,
    topology: 'all',
    pooled: false,
    hottest: 0.5,
    run: { cores: 0.001, walBytes: 1_000, workers: 0.01, apis: 0.01 },
    process: {
      pollCores: 0.01,
      pollStatements: 20,
      worker: { all: 12, listening: 2 },
      api: { all: 18, listening: 1 },
    },
    limits: { cores: 6, walBytes: 10_000_000, connections: 300 },
  };

  it('is reached when the first resource of the hottest server is used up', () => {
    // Each run per second needs 0.5 × 1 ms and 0.01 × 10 ms of the cores, and 0.3 connections.
    expect(fleetCapacity(fleet)).toMatchObject({
      first: 'connections',
      runsPerSecond: expect.closeTo(1_000),
      by: { cores: expect.closeTo(10_000), WAL: expect.closeTo(20_000), connections: expect.closeTo(1_000) },
      connections: expect.closeTo(300),
      pollShare: expect.closeTo(0.1 / 6),
      pollStatements: expect.closeTo(200),
    });
  });

  it('counts only the processes that are connected to the server', () => {
    const connections = (topology: Fleet['topology']) => fleetCapacity({ ...fleet, topology }).by.connections;
    expect(connections('own workers')).toBeCloseTo(300 / (0.06 + 0.18));
    expect(connections('installations')).toBeCloseTo(300 / 0.15);
  });

  it('counts only listening connections if the others use PgBouncer', () => {
    const pooled = fleetCapacity({ ...fleet, pooled: true });
    expect(pooled.by).toMatchObject({ 'LISTEN connections': expect.closeTo(250 / 0.03) });
    expect(pooled.by).not.toHaveProperty('connections');
  });
});

describe('a move', () => {
  const workspace = { runsPerDay: 86_400, rowsPerRun: 3, stepsPerRun: 4, runDays: 100, traceDays: 10 };

  it('copies what the retention keeps', () => {
    expect(rowsOf(workspace)).toBe(86_400 * 340);
  });

  it('copies in passes until the rest is small, and stops the workspace only for the rest', () => {
    // 14 rows change per second, so each pass takes a hundredth of the pass before it.
    const move = moveOf(workspace, { rowsPerSecond: 1_400, switchSeconds: 5, lastPassSeconds: 10 });
    const all = (86_400 * 340) / 1_400;
    expect(move).toMatchObject({
      passes: 3,
      copySeconds: expect.closeTo(all * 1.0101),
      stopSeconds: expect.closeTo(5 + all / 10_000),
      stopSecondsAtOnce: expect.closeTo(5 + all),
    });
  });

  it('is impossible if the workspace adds rows faster than they are copied', () => {
    expect(() => moveOf(workspace, { rowsPerSecond: 14, switchSeconds: 5, lastPassSeconds: 10 })).toThrow(
      'faster than they can be copied',
    );
  });
});
