import { randomUUID } from 'node:crypto';
import type { ClaimedRun, StepResult, TurnMessages } from '../records/run-commands.js';
import { RunMachine } from '../testing/run-machine.js';

const added = (text: string) => [{ role: 'user', text }];
const PROMPT = { system: 'Do it.', tools: [] };

describe('the messages of turns', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create();
  });
  afterAll(() => machine.close());

  async function begin(run: ClaimedRun, path: string): Promise<number> {
    const request = { provider: 'p', model: 'm' };
    const intents = [{ type: 'model_call' as const, path, effect: 'read' as const, request }];
    const begun = await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents });
    if (begun.verdict !== 'ok') throw new Error(begun.verdict);
    return begun.steps[0]!.n;
  }

  async function end(run: ClaimedRun, n: number, messages: TurnMessages): Promise<void> {
    const results: StepResult[] = [{ n, state: 'succeeded', output: { text: '', calls: [] }, messages }];
    await machine.store.advance(run, randomUUID(), { results, notes: [], intents: [] });
  }

  /** Two turns with the same prompt. */
  async function aRunWithTurns(): Promise<ClaimedRun> {
    const run = await machine.aClaimedRun();
    const first = await begin(run, 'turn[1]');
    await end(run, first, { promptN: first, prompt: PROMPT, added: added('one') });
    await end(run, await begin(run, 'turn[2]'), { promptN: first, added: added('two') });
    return run;
  }

  async function finish(run: ClaimedRun): Promise<void> {
    const outcome = { status: 'succeeded' as const, output: null };
    await machine.store.finish(run, randomUUID(), { results: [], notes: [], outcome });
  }

  const rowsOf = ({ id }: Pick<ClaimedRun, 'id'>) =>
    machine.query<object>(
      'select n, prompt_n, prompt, added, workspace_id from turn_messages where run_id = $1 order by n',
      [id],
    );

  it('are recorded with the turn, and the prompt once', async () => {
    const run = await aRunWithTurns();
    const { workspaceId: workspace_id } = run;
    expect(await rowsOf(run)).toEqual([
      { n: 2, prompt_n: 2, prompt: PROMPT, added: added('one'), workspace_id },
      { n: 3, prompt_n: 2, prompt: null, added: added('two'), workspace_id },
    ]);
  });

  it('of an attempt that has lost the run are not recorded', async () => {
    const run = await machine.aClaimedRun();
    const n = await begin(run, 'turn[1]');
    await machine.query('update run_steps set attempt = attempt + 1 where run_id = $1', [run.id]);
    await end(run, n, { promptN: n, prompt: PROMPT, added: [] });
    expect(await rowsOf(run)).toEqual([]);
  });

  it('are copied by a replay with the turns, and the prompt of a turn that is not copied too', async () => {
    const run = await aRunWithTurns();
    await finish(run);
    const trigger = { type: 'replay', tool_results: 'recorded', run: run.id };
    const whole = { of: run.id, first: { n: 1_000, path: 'turn[9]' } } as const;
    expect(await rowsOf(await machine.aClaimedRun({ trigger, replay: whole }))).toMatchObject([
      { n: 2, prompt_n: 2, prompt: PROMPT, added: added('one') },
      { n: 3, prompt_n: 2, prompt: null, added: added('two') },
    ]);
    const second = { of: run.id, first: { n: 1_000, path: 'turn[1]' } } as const;
    expect(await rowsOf(await machine.aClaimedRun({ trigger, replay: second }))).toMatchObject([
      { n: 2, prompt_n: 2, prompt: PROMPT, added: added('two') },
    ]);
  });

  it.each(['purge_traces', 'purge_runs'])('are deleted by %s', async (purge) => {
    const run = await aRunWithTurns();
    await finish(run);
    await machine.query(`update runs set ended_at = ended_at - interval '2 days' where id = $1`, [run.id]);
    await machine.query(`select run_machine.${purge}('', 'x', 1, 1000)`);
    expect(await rowsOf(run)).toEqual([]);
  });
});
