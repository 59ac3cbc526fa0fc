import { setTimeout as pause } from 'node:timers/promises';

import type { JsonObject } from '@app/kernel';
import type { Bench, Service, ServiceScenario } from './bench.js';
import { benchAgent, RUN_INPUT, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { postMany } from './http-load.js';
import { secondsFromFirstToLast, startRequest, untilAllEnded } from './throughput.js';

const CASES = 200;
const WARM_UP = 100;
const CONNECTIONS = 50;
const LOOK_EVERY_MS = 50;

/**
 * Measures the duration of an evaluation with 200 cases. Compares it with the duration of 200 separate runs with the
 * same input on the same workers.
 */
export const evaluation: ServiceScenario = {
  name: 'evaluation',
  async run(bench, service): Promise<void> {
    const { stack, ledger, queue } = service;
    ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
    const agent = await stack.client.createAgent(evaluatedAgent(ledger.url));
    const post = startRequest(service, agent);
    await postMany(post, WARM_UP, CONNECTIONS, 202);
    await untilAllEnded(bench);
    await evaluate(bench, service, agent);
    for (let repetition = 0; repetition < bench.repetitions; repetition++) {
      await postMany(post, CASES, CONNECTIONS, 202);
      await untilAllEnded(bench);
      const ordinary = await secondsFromFirstToLast(bench, agent, CASES);
      const evaluated = await evaluate(bench, service, agent);
      bench.figures.add('evaluation', queue, '200 ordinary runs', 's', ordinary);
      bench.figures.add('evaluation', queue, 'evaluation of 200 cases', 's', evaluated);
      bench.figures.add('evaluation', queue, 'of the ordinary runs', '×', evaluated / ordinary);
    }
  },
};

function evaluatedAgent(toolUrl: string): JsonObject {
  const assert: JsonObject[] = [
    { type: 'status', value: 'succeeded' },
    { type: 'tool_called', value: 'shop.get', times: 1 },
    { type: 'equals', path: 'output.net', value: 100 },
  ];
  const cases = Array.from({ length: CASES }, (_, n) => ({ name: `case ${n}`, input: RUN_INPUT, assert }));
  return { ...benchAgent('four-step', toolUrl), name: 'evaluated', evaluation: { cases } };
}

/**
 * Evaluates the agent. Returns the seconds from the request to the result of the evaluation, by the clock of the
 * database.
 */
async function evaluate({ database }: Bench, { stack }: Service, agent: string): Promise<number> {
  const { id } = await stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/versions/1/evaluate`);
  for (;;) {
    const { rows } = await database.query<{ status: string; seconds: string | null }>(
      'select status, extract(epoch from ended_at - created_at) as seconds from evaluations where id = $1',
      [id],
    );
    const { status, seconds = null } = rows[0] ?? {};
    if (seconds === null) await pause(LOOK_EVERY_MS);
    else if (status === 'passed') return Number(seconds);
    else throw new Error(`The evaluation ended as ${status}.`);
  }
}
