/** How api and worker processes are connected to the servers. */
export type Topology =
  /** Every api and every worker serves all servers. */
  | 'all'
  /** Every api serves all servers. Each worker serves one server. */
  | 'own workers'
  /** Each api and each worker serves one server, as in several installations. */
  | 'installations';

/** What one finished run per second needs. */
export interface RunCosts {
  /** Cores of Postgres. */
  cores: number;
  /** Bytes of WAL. */
  walBytes: number;
  /** Worker processes. */
  workers: number;
  /** Api processes. */
  apis: number;
}

/** What one process needs at each server that it is connected to, in addition to its runs. */
export interface ProcessCosts {
  /** Cores of Postgres for the periodic queries of an idle worker. */
  pollCores: number;
  /** Statements per second of an idle worker. */
  pollStatements: number;
  worker: Connections;
  api: Connections;
}

interface Connections {
  /** Maximum number of connections. */
  all: number;
  /** Number of these that cannot go through PgBouncer, because they execute LISTEN. */
  listening: number;
}

/** Limits of one server. */
export interface ServerLimits {
  cores: number;
  walBytes: number;
  connections: number;
}

export interface Fleet {
  servers: number;
  topology: Topology;
  pooled: boolean;
  hottest: number;
  run: RunCosts;
  process: ProcessCosts;
  limits: ServerLimits;
}

export type Resource = 'cores' | 'WAL' | 'connections' | 'LISTEN connections';

export interface FleetCapacity {
  /** Finished runs per second of all servers together, when the first resource reaches its limit. */
  runsPerSecond: number;
  first: Resource;
  /** Finished runs per second at which each resource would reach its limit, if the others had none. */
  by: Partial<Record<Resource, number>>;
  /** Connections of the hottest server at `runsPerSecond`. */
  connections: number;
  /** Share of the cores of the hottest server that the polls of the workers need at `runsPerSecond`. */
  pollShare: number;
  /** Statements per second that the polls send to the hottest server at `runsPerSecond`. */
  pollStatements: number;
}

/** Connections from PgBouncer to Postgres. */
const POOLER_CONNECTIONS = 50;

/**
 * Returns at what load the hottest server reaches its first limit. The number of processes grows with the load and is
 * not rounded up, so every need is proportional to the load.
 */
export function fleetCapacity(fleet: Fleet): FleetCapacity {
  const { hottest, run, process, limits } = fleet;
  const { workers, apis } = processesAtHottest(fleet);
  const pollCores = workers * process.pollCores;
  const connections = workers * process.worker.all + apis * process.api.all;
  const listening = workers * process.worker.listening + apis * process.api.listening;
  const by: FleetCapacity['by'] = {
    cores: limits.cores / (hottest * run.cores + pollCores),
    WAL: limits.walBytes / (hottest * run.walBytes),
    ...(fleet.pooled
      ? { 'LISTEN connections': (limits.connections - POOLER_CONNECTIONS) / listening }
      : { connections: limits.connections / connections }),
  };
  const [first, runsPerSecond] = (Object.entries(by) as [Resource, number][]).reduce((least, each) =>
    each[1] < least[1] ? each : least,
  );
  return {
    runsPerSecond,
    first,
    by,
    connections: fleet.pooled ? POOLER_CONNECTIONS + runsPerSecond * listening : runsPerSecond * connections,
    pollShare: (runsPerSecond * pollCores) / limits.cores,
    pollStatements: runsPerSecond * workers * process.pollStatements,
  };
}

/** Processes that are connected to the hottest server, for each finished run per second of the whole fleet. */
function processesAtHottest({ topology, hottest, run }: Fleet): { workers: number; apis: number } {
  return {
    workers: run.workers * (topology === 'all' ? 1 : hottest),
    apis: run.apis * (topology === 'installations' ? hottest : 1),
  };
}

export function usefulServers(largestShare: number): number {
  return Math.floor(1 / largestShare);
}
