import { ApiClient } from '../support/api-client.js';
import { newWorkspaces } from '../support/new-workspace.js';
import type { CeilingScenario } from './bench.js';
import { benchAgent } from './bench-agents.js';
import { compareLoads, type LoadedService } from './loaded-service.js';
import { startRequest } from './throughput.js';

const WORKSPACES = 1_000;
/**
 * Runs of each workspace in one turn. With fewer runs, most requests would be the first of their workspace since the
 * last turn, so the scenario would measure only the filling of caches.
 */
const RUNS_OF_EACH = 5;

/**
 * Compares the load of one workspace with the same load of 1 000 workspaces. Each workspace has an agent and an API
 * key, so the service checks 1 000 rate limits and limits of queued runs.
 */
export const workspaces: CeilingScenario = {
  name: 'workspaces',
  onlyByName: true,
  async run(bench): Promise<void> {
    const count = WORKSPACES / bench.divisor;
    const names = {
      scenario: 'workspaces',
      base: 'one workspace',
      name: `${count} workspaces`,
      runs: RUNS_OF_EACH * count,
    };
    await compareLoads(bench, names, (service) => addWorkspaces(service, count));
  },
};

async function addWorkspaces(service: LoadedService, count: number): Promise<void> {
  const { stack, ledger } = service;
  const posts = [];
  for (const { key } of await newWorkspaces(stack.databaseUrl, count)) {
    const client = new ApiClient(() => stack.baseUrl, key);
    posts.push(startRequest(service, await client.createAgent(benchAgent('four-step', ledger.url)), key));
  }
  service.posts = posts;
}
