import { setTimeout as pause } from 'node:timers/promises';
import type { AgentAutomation, Run } from '../../../../packages/sdk/src/index.js';
import { agentIdOf } from '../input/command-arguments.js';
import type { Cli } from '../session/cli.js';

const PAUSE_MILLIS = 1_000;
/** Maximum number of runs whose last printed status is stored. When it is exceeded, the oldest entry is dropped. */
const REMEMBERED_RUNS = 10_000;

/** Prints each run whose status changes, until the person interrupts the command. */
export async function tailRuns(
  aas: AgentAutomation,
  cli: Cli,
  { agent, status }: { agent?: string; status?: readonly string[] },
): Promise<never> {
  const agentId = agent === undefined ? undefined : await agentIdOf(aas, agent);
  const shown = new ShownStatuses();
  let next = (await aas.changes.read())?.next;
  for (;;) {
    const changes = await aas.changes.read(next === undefined ? {} : { since: next });
    const ids = changes?.runs_changed.filter((each) => agentId === undefined || each.agent === agentId) ?? [];
    if (ids.length > 0) {
      const { data } = await aas.runs.list({ id: ids.map(({ id }) => id), limit: 100 });
      const wanted = data.filter((run) => (status === undefined || status.includes(run.status)) && shown.isNew(run));
      for (const run of wanted.reverse()) await cli.output.streamed(run, runLine(run), run.id);
    }
    next = changes?.next ?? next;
    if (changes === undefined) await pause(PAUSE_MILLIS);
  }
}

/**
 * Prevents a run from being printed twice with the same status. If a run changes twice between two requests, the API
 * reports two changes, but the command reads the latest status both times.
 */
class ShownStatuses {
  private readonly statuses = new Map<string, Run['status']>();

  isNew({ id, status }: Run): boolean {
    if (this.statuses.get(id) === status) return false;
    this.statuses.delete(id);
    this.statuses.set(id, status);
    const [oldest] = this.statuses.keys();
    if (this.statuses.size > REMEMBERED_RUNS && oldest !== undefined) this.statuses.delete(oldest);
    return true;
  }
}

function runLine({ id, status, agent_name: agent, version, created_at: at, error }: Run): string {
  return `${at}  ${id}  ${status.padEnd(16)}  ${agent}@${version}${error ? `  ${error.code}` : ''}`;
}
