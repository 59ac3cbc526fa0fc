import { aGroup, aPerson } from '../support/people.js';
import type { Bench, ServiceScenario } from './bench.js';
import { benchAgent, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { quantile } from './figures.js';
import { RunEvents } from './run-events.js';

const RUNS = 200;
const APPROVER = 'approver@example.com';

/**
 * Executes one run at a time. Each run needs an approval. Measures the time from the start of the run to its approval
 * request, and from the decision to the end of the run.
 */
export const approvalRoundTrip: ServiceScenario = {
  name: 'approval-round-trip',
  async run(bench, { stack, ledger, queue }): Promise<void> {
    ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
    const agent = await stack.client.createAgent({
      ...benchAgent('one-tool', ledger.url),
      name: 'approval',
      policies: [{ name: 'always', when: 'true', action: 'require_approval', approval: 'deciders' }],
      approvals: { deciders: { approvers: ['deciders'] } },
    });
    const approver = await aPerson(stack, APPROVER);
    await aGroup(stack, 'deciders', [APPROVER]);
    const events = await RunEvents.listen(bench.databaseUrl);
    const oneRun = async (): Promise<{ asked: number; finished: number }> => {
      const started = performance.now();
      const { id } = await stack.client.startRun(agent, { order: 'A-1001' });
      const asked = (await events.of(id, 'run.approval_requested')) - started;
      const { data } = await approver.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${id}/approvals`);
      const decided = performance.now();
      await approver.expect('POST', `/v1/runs/${id}/approvals/${data[0]?.id ?? ''}`, { decision: 'approve' });
      return { asked, finished: (await events.of(id, 'run.completed')) - decided };
    };
    try {
      for (let repetition = 0; repetition < bench.repetitions; repetition++) await measure(bench, queue, oneRun);
    } finally {
      await events.close();
    }
  },
};

async function measure(
  bench: Bench,
  queue: string,
  oneRun: () => Promise<{ asked: number; finished: number }>,
): Promise<void> {
  const times: { asked: number; finished: number }[] = [];
  for (let run = 0; run < RUNS / bench.divisor; run++) times.push(await oneRun());
  for (const [name, values] of [
    ['start to question', times.map(({ asked }) => asked)],
    ['approve to finished', times.map(({ finished }) => finished)],
  ] as const) {
    values.sort((a, b) => a - b);
    bench.figures.add('approval-round-trip', queue, `${name}, p50`, 'ms', quantile(values, 0.5));
    bench.figures.add('approval-round-trip', queue, `${name}, p99`, 'ms', quantile(values, 0.99));
  }
}
