import type { JsonObject } from '@app/kernel';
import { CommandLine } from '../support/command-line.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';
import type { ScriptedTurn } from '../support/model-wire.js';

const looks = (place: string): ScriptedTurn => ({ calls: [{ name: 'shop_look', input: { place } }] });

interface Transcript {
  run: string;
  turns: {
    n: number;
    path: string;
    prompt_n: number | null;
    prompt: JsonObject | null;
    answer: { calls: { id: string }[] } | null;
    [member: string]: unknown;
  }[];
  next_after_n?: number;
}

describe('the transcript of a run', () => {
  let stage: ModelScene;

  beforeAll(async () => {
    stage = await ModelScene.start();
  });
  afterEach(() => stage.reset());
  afterAll(() => stage.stop());

  const transcript = (id: string, query = '') =>
    stage.client.expect<Transcript>('GET', `/v1/runs/${id}/transcript${query}`);

  async function anEndedRun(more: JsonObject = {}, input: JsonObject = { wish: 'look' }): Promise<string> {
    stage.models.respondWith({ text: 'I look first.', ...looks('a') }, { text: 'It is done.' });
    stage.scene.ledger.always('/look/a', { body: { total: 40 } });
    const id = await stage.start(aModelAgent(stage.scene.ledger.url, more), input);
    expect(await stage.ended(id)).toMatchObject({ status: 'succeeded' });
    return id;
  }

  it('has the prompt once, each message once and each answer in full', async () => {
    const id = await anEndedRun();
    const { turns } = await transcript(id);
    const [first, second] = turns;
    expect(first).toMatchObject({
      path: 'turn[1]',
      prompt_n: first!.n,
      prompt: {
        system: expect.stringContaining('Do what the input says.'),
        tools: [{ name: 'shop_look', description: 'Look something up', input_schema: { type: 'object' } }, {}],
      },
      messages: [{ role: 'user', text: expect.stringContaining('{"wish":"look"}') }],
      answer: { text: 'I look first.', calls: [{ name: 'shop_look', input: { place: 'a' } }] },
    });
    expect(second).toMatchObject({
      path: 'turn[2]',
      prompt_n: first!.n,
      prompt: null,
      messages: [
        { role: 'tool', call: first!.answer!.calls[0]!.id, name: 'shop_look', result: { result: { total: 40 } } },
      ],
      answer: { text: 'It is done.', calls: [] },
    });
    expect(second).not.toHaveProperty('redacted');
    const page = await transcript(id, '?limit=1');
    expect(page).toEqual({ run: id, turns: [first], next_after_n: first!.n });
    expect(await transcript(id, `?limit=1&after_n=${first!.n}`)).toEqual({ run: id, turns: [second] });
  });

  it('is text to read from top to bottom in the command line', async () => {
    const id = await anEndedRun();
    const aas = await CommandLine.open({ AAS_URL: stage.scene.stack.baseUrl, AAS_API_KEY: stage.scene.stack.adminKey });
    const { code, stdout } = await aas.run(['runs', 'transcript', id, '-o', 'table']);
    await aas.close();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^turn\[1\] \(step 2\)\n {2}system {5}You are /);
    expect(stdout).toContain(
      '  tools      shop_look, shop_pay\n  user       The input, as JSON:\n             <input>\n             {"wish":"look"}\n',
    );
    expect(stdout).toContain('  model      I look first.\n  call       shop_look {"place":"a"}\nturn[2] (step 5)\n');
    expect(stdout).toContain('  tool       shop_look {"result":{"total":40}}\n  model      It is done.\n');
  });

  it('of an attempt that failed shows what was sent, without an answer', async () => {
    stage.models.respondWith({ status: 400, raw: '{"error":{"message":"No."}}' });
    const id = await stage.start(aModelAgent(stage.scene.ledger.url));
    expect(await stage.ended(id)).toMatchObject({ status: 'failed' });
    expect((await transcript(id)).turns).toMatchObject([{ prompt: { system: /./ }, answer: null }]);
  });

  it('has only the answers with TRACE_MESSAGES=off', async () => {
    await stage.scene.stack.endWorkers();
    await stage.scene.stack.addWorker({ TRACE_MESSAGES: 'off' });
    const id = await anEndedRun();
    expect((await transcript(id)).turns).toMatchObject([
      { prompt: null, messages: null, answer: { text: 'I look first.', calls: [{ name: 'shop_look' }] } },
      { prompt: null, messages: null, answer: { text: 'It is done.', calls: [] } },
    ]);
    const rows = await stage.scene.stack.query('select from turn_messages where run_id = $1', [id]);
    expect(rows).toEqual([]);
    await stage.scene.stack.endWorkers();
    await stage.scene.stack.addWorker();
  });

  it('hides what the definition redacts, also values that are too short to be found in text', async () => {
    const id = await anEndedRun({ redact: { paths: ['input.pin'] } }, { pin: 12, wish: 'look' });
    const shown = await transcript(id);
    expect(shown.turns).toMatchObject([
      { prompt: null, messages: null, answer: { text: 'I look first.' }, redacted: true },
      { prompt: null, messages: null, answer: { text: 'It is done.' }, redacted: true },
    ]);
    const revealed = await transcript(id, '?reveal=true');
    expect(revealed.turns[0]).toMatchObject({ messages: [{ text: expect.stringContaining('"pin":12') }] });
    const { data } = await stage.client.expect<{ data: JsonObject[] }>('GET', `/v1/audit-events?action=run.reveal`);
    expect(data).toContainEqual(expect.objectContaining({ target: id, detail: { shown: 'transcript' } }));
  });
});
