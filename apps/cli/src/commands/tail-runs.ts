import { setTimeout as pause } from 'node:timers/promises';
import type { AgentAutomation, Run } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';

const PAUSE_MILLIS = 1_000;

/** Prints a run whenever its status has changed. Ends when the person interrupts the command. */
export async function tailRuns(
  aas: AgentAutomation,
  cli: Cli,
  { agent, status }: { agent?: string; status?: readonly string[] },
): Promise<never> {
  const agentId = agent === undefined ? undefined : (await aas.agents.get(agent)).id;
  let next = (await aas.changes.read())?.next;
  for (;;) {
    const changes = await aas.changes.read(next === undefined ? {} : { since: next });
    const ids = changes?.runs_changed.filter((each) => agentId === undefined || each.agent === agentId) ?? [];
    if (ids.length > 0) {
      const { data } = await aas.runs.list({ id: ids.map(({ id }) => id), limit: 100 });
      const wanted = data.filter((run) => status === undefined || status.includes(run.status));
      for (const run of wanted.reverse()) await cli.output.streamed(run, runLine(run), run.id);
    }
    next = changes?.next ?? next;
    if (changes === undefined) await pause(PAUSE_MILLIS);
  }
}

function runLine({ id, status, agent_name: agent, version, created_at: at, error }: Run): string {
  return `${at}  ${id}  ${status.padEnd(16)}  ${agent}@${version}${error ? `  ${error.code}` : ''}`;
}
