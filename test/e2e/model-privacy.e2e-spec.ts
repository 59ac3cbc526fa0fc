import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { EventReader } from '../support/event-reader.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';
import type { ScriptedTurn } from '../support/model-wire.js';

const shop = (place: string): ScriptedTurn => ({ calls: [{ name: 'shop_look', input: { place } }] });

/** The output of the model contains data that the definition redacts. */
describe('a model that says what is redacted', () => {
  let stage: ModelScene;

  beforeAll(async () => {
    stage = await ModelScene.start();
  });
  afterEach(() => stage.reset());
  afterAll(() => stage.stop());

  const canary = () => `canary-${randomBytes(8).toString('hex')}`;
  const agent = (paths: string[], more: JsonObject = {}): JsonObject =>
    aModelAgent(stage.scene.ledger.url, { redact: { paths }, ...more });

  /** Returns all stored data of the run, and everything that its readers receive. */
  const everythingAbout = async (id: string): Promise<string> => {
    const rows = await stage.scene.stack.query(
      `select (select jsonb_agg(to_jsonb(s)) from run_steps s where s.run_id = r.id) as steps, to_jsonb(r) as run,
         (select jsonb_agg(to_jsonb(e)) from events e where e.run_id = r.id) as events from runs r where r.id = $1`,
      [id],
    );
    return JSON.stringify([rows, await stage.client.trace(id), await stage.client.run(id)]);
  };

  it.each<
    [place: string, paths: string[], more: (kept: string) => JsonObject, turns: (kept: string) => ScriptedTurn[]]
  >([
    ['the input that it repeats', ['input.body'], () => ({}), (kept) => [{ text: `You wrote ${kept}.` }]],
    [
      'an output that was unknown before',
      ['output.reply'],
      () => ({ output: { type: 'object', required: ['reply'] } }),
      (kept) => [{ text: `I think of ${kept}.`, ...shop('a') }, { text: JSON.stringify({ reply: kept }) }],
    ],
    [
      'the arguments of a call',
      ['tools.shop.look.request.place'],
      () => ({}),
      (kept) => [{ text: `I look at ${kept}.`, ...shop(kept) }, { text: 'Done.' }],
    ],
    [
      'the output of its step',
      ['steps.triage.output'],
      () => ({ steps: [{ id: 'triage', agent: { instructions: 'Sort.' } }] }),
      (kept) => [{ text: `It is ${kept}.` }],
    ],
    [
      'an answer of a tool that it repeats',
      ['tools.shop.look.response.name'],
      () => ({}),
      (kept) => [shop('a'), { text: `Her name is ${kept}.` }],
    ],
  ])('leaves no trace of %s', async (_, paths, more, turns) => {
    const kept = canary();
    stage.scene.ledger.always('/look/a', { body: { name: paths[0]!.includes('response') ? kept : 'Ann' } });
    stage.models.respondWith(...turns(kept));
    const id = await stage.start(agent(paths, more(kept)), { body: paths[0] === 'input.body' ? kept : 'hello' });
    const run = await stage.ended(id);
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(await everythingAbout(id)).not.toContain(kept);
    const revealed = await stage.client.expect('GET', `/v1/runs/${id}/trace?reveal=true`);
    expect(JSON.stringify(revealed)).toContain(kept);
  });

  it('is not followed word by word, since a value may come in pieces', async () => {
    const kept = canary();
    stage.models.respondWith({ text: `You wrote ${kept}, and more of that.`, hang: true });
    const id = await stage.start(agent(['input.body']), { body: kept });
    await stage.models.asked(1);
    const reader = await EventReader.open(`${stage.scene.stack.baseUrl}/v1/runs/${id}/events`, {
      key: stage.scene.stack.adminKey,
    });
    stage.models.release();
    const events = await reader.readRest();
    expect(events.at(-1)).toMatchObject({ event: 'end' });
    expect(events.filter(({ event }) => event === 'text')).toEqual([]);
    expect(JSON.stringify(events)).not.toContain(kept);
  });

  it('continues with its recorded output when another worker takes over', async () => {
    const kept = canary();
    stage.scene.ledger.always('/look/slow', { delayMillis: 400 });
    stage.models.respondWith(
      { text: `I think of ${kept}.`, ...shop('slow') },
      { text: JSON.stringify({ reply: kept }) },
    );
    const output = { type: 'object', required: ['reply'] };
    const id = await stage.start(agent(['output.reply'], { output }));
    await stage.scene.ledger.called('/look/slow');
    await stage.scene.stack.workers[0]!.kill();
    await stage.scene.stack.addWorker();
    expect(await stage.ended(id)).toMatchObject({ status: 'succeeded', output: { reply: '[redacted]' } });
    expect(JSON.stringify(stage.models.requests.at(-1)!.messages)).toContain(kept);
    expect(stage.models.answered).toHaveLength(2);
  });
});
