import type { Demand } from './workspace-loads.js';

export type Placement = readonly number[];

export function placeByHash(ids: readonly string[], servers: number): number[] {
  return ids.map((id) => hashOf(id) % servers);
}

/**
 * Rendezvous hashing: a workspace is on the server with the highest hash of both names. When a server is added, only
 * the workspaces that it receives move.
 */
export function placeByRendezvous(ids: readonly string[], servers: number): number[] {
  return ids.map((id) => {
    let [best, highest] = [0, -1];
    for (let server = 0; server < servers; server++) {
      const hash = hashOf(`${id}/${server}`);
      if (hash > highest) [best, highest] = [server, hash];
    }
    return best;
  });
}

/**
 * Directory: each workspace is placed on the server with the least load when the workspace is created. Its own load is
 * not known at that time.
 */
export function placeByLoad(demands: readonly Demand[], servers: number): number[] {
  const loads = emptyServers(servers);
  return demands.map((demand) => {
    const server = indexOfLeast(loads);
    add(loads[server]!, demand, 1);
    return server;
  });
}

export function loadsOf(demands: readonly Demand[], placement: Placement, servers: number): Demand[] {
  const loads = emptyServers(servers);
  for (const [n, demand] of demands.entries()) add(loads[placement[n]!]!, demand, 1);
  return loads;
}

function busiest([cores, wal]: Demand): number {
  return Math.max(cores, wal);
}

/**
 * Returns the share of the capacity of all servers together that can be used before the first server saturates: 1 if
 * the load is spread evenly, 1 / servers if one server has all of it.
 */
export function usableShare(loads: readonly Demand[]): number {
  const even = busiest(loads.reduce<[number, number]>((sum, load) => add(sum, load, 1), [0, 0])) / loads.length;
  return even / Math.max(...loads.map(busiest));
}

export interface MoveRule {
  /** Moves stop when the hottest server has at most this multiple of the average load. */
  tolerance: number;
  /** Maximum number of moves. */
  moves: number;
}

/**
 * Moves workspaces from the hottest to the least loaded server, and returns the indexes of the moved workspaces. Of the
 * workspaces that bring the hottest server below the tolerance, it moves the smallest, because a move costs as much as
 * the workspace has rows. If no move makes the hottest server cooler, it stops. Changes `placement`.
 */
export function rebalance(demands: readonly Demand[], placement: number[], servers: number, rule: MoveRule): number[] {
  const loads = loadsOf(demands, placement, servers).map(([cores, wal]): [number, number] => [cores, wal]);
  const target = (rule.tolerance * loads.reduce((sum, load) => sum + busiest(load), 0)) / servers;
  const moved: number[] = [];
  while (moved.length < rule.moves) {
    const [from, to] = [indexOfMost(loads), indexOfLeast(loads)];
    if (busiest(loads[from]!) <= target) break;
    const workspace = workspaceToMove(demands, placement, { from, to, loads, target });
    if (workspace === undefined) break;
    add(loads[from]!, demands[workspace]!, -1);
    add(loads[to]!, demands[workspace]!, 1);
    placement[workspace] = to;
    moved.push(workspace);
  }
  return moved;
}

interface Step {
  from: number;
  to: number;
  loads: readonly Demand[];
  target: number;
}

function workspaceToMove(
  demands: readonly Demand[],
  placement: Placement,
  { from, to, loads, target }: Step,
): number | undefined {
  const hot = loads[from]!;
  let [smallestEnough, largest]: (number | undefined)[] = [];
  for (const [n, demand] of demands.entries()) {
    if (placement[n] !== from || busiest(sum(loads[to]!, demand)) >= busiest(hot)) continue;
    const isEnough = busiest([hot[0] - demand[0], hot[1] - demand[1]]) <= target;
    if (isEnough && isLess(demand, demands, smallestEnough)) smallestEnough = n;
    if (largest === undefined || busiest(demand) > busiest(demands[largest]!)) largest = n;
  }
  return smallestEnough ?? largest;
}

function isLess(demand: Demand, demands: readonly Demand[], than: number | undefined): boolean {
  return than === undefined || busiest(demand) < busiest(demands[than]!);
}

function emptyServers(servers: number): [number, number][] {
  return Array.from({ length: servers }, () => [0, 0]);
}

function add(load: [number, number], demand: Demand, sign: 1 | -1): [number, number] {
  load[0] += sign * demand[0];
  load[1] += sign * demand[1];
  return load;
}

function sum(a: Demand, b: Demand): Demand {
  return [a[0] + b[0], a[1] + b[1]];
}

function indexOfLeast(loads: readonly Demand[]): number {
  return loads.reduce((least, load, n) => (busiest(load) < busiest(loads[least]!) ? n : least), 0);
}

function indexOfMost(loads: readonly Demand[]): number {
  return loads.reduce((most, load, n) => (busiest(load) > busiest(loads[most]!) ? n : most), 0);
}

/** FNV-1a with the final mixing of MurmurHash3. Without it, similar names would have similar hashes. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
