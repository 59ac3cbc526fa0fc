import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { EventReader } from '../support/event-reader.js';
import { followHints, PLACES, TRAIL_ANSWER } from '../support/hint-trail.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';
import type { ScriptedTurn } from '../support/model-wire.js';

const shop = (place: string): ScriptedTurn => ({ calls: [{ name: 'shop_look', input: { place } }] });

let stage: ModelScene;

beforeAll(async () => {
  stage = await ModelScene.start();
});
afterEach(() => stage.reset());
afterAll(() => stage.stop());

const agentOf = (more: JsonObject): JsonObject => aModelAgent(stage.scene.ledger.url, more);

/** Returns all stored data of the run, and everything that its readers receive. */
const everythingAbout = async (id: string): Promise<string> => {
  const rows = await stage.scene.stack.query(
    `select (select jsonb_agg(to_jsonb(s)) from run_steps s where s.run_id = r.id) as steps, to_jsonb(r) as run,
       (select jsonb_agg(to_jsonb(e)) from events e where e.run_id = r.id) as events,
       (select jsonb_agg(to_jsonb(m)) from turn_messages m where m.run_id = r.id) as messages from runs r where r.id = $1`,
    [id],
  );
  const transcript = await stage.client.expect('GET', `/v1/runs/${id}/transcript`);
  return JSON.stringify([rows, await stage.client.trace(id), await stage.client.run(id), transcript]);
};

/** The output of the model contains data that the definition redacts. */
describe('a model that says what is redacted', () => {
  const canary = () => `canary-${randomBytes(8).toString('hex')}`;
  const agent = (paths: string[], more: JsonObject = {}): JsonObject => agentOf({ redact: { paths }, ...more });

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

describe('reasoning that only its provider can read', () => {
  const WIRES = {
    responses: { model: 'responses/priced', path: '/responses', list: 'input', opaque: 'encrypted_content' },
    anthropic: { model: 'anthropic/priced', path: '/messages', list: 'messages', opaque: 'signature' },
    google: { model: 'google/priced', path: 'GenerateContent', list: 'contents', opaque: 'thoughtSignature' },
    bedrock: { model: 'bedrock/claude', path: '/converse', list: 'messages', opaque: 'signature' },
  };

  /** A call whose arguments Postgres stores in another order. */
  const looks = (place: string): ScriptedTurn => ({ calls: [{ name: 'shop_look', input: { place, at: 1 } }] });
  const told = (wire: keyof typeof WIRES): JsonObject[] =>
    stage.models.requests.filter(({ path }) => path.includes(WIRES[wire].path)).map(({ body }) => body);
  const partsOf = (body: JsonObject, wire: keyof typeof WIRES): string[] =>
    [...JSON.stringify(body).matchAll(new RegExp(`"${WIRES[wire].opaque}":"([^"]*)"`, 'g'))].map(([, found]) => found!);

  it('goes back unchanged in ten turns of each provider, with a fallback and a kill in between', async () => {
    for (const [place, delayMillis] of [
      ['a', 0],
      ['slow', 400],
    ] as const)
      stage.scene.ledger.always(`/look/${place}`, { delayMillis, body: { total: 1, id: 2 } });
    const turns = new Map<string, number>();
    stage.models.always(({ path }) => {
      const wire = Object.keys(WIRES).find((name) => path.includes(WIRES[name as keyof typeof WIRES].path));
      if (!wire) return looks('fallback');
      const turn = (turns.get(wire) ?? 0) + 1;
      turns.set(wire, turn);
      if (turn === 4) return { status: 503 };
      if (turn > 10) return { text: 'Done.' };
      const spoken = turn % 2 === 0 ? { text: `I look again: ${turn}.` } : {};
      const thought = turn % 3 === 0 ? {} : { thought: `b ${turn} a` };
      return { ...spoken, ...thought, ...looks(turn === 6 ? 'slow' : 'a'), reasoning: `opaque+${wire}/${turn}==` };
    });
    const ids = await Promise.all(
      Object.values(WIRES).map(({ model }) => {
        const [provider = '', name = ''] = model.split('/');
        const choice = { provider, name, fallback: ['fake/priced'], params: { cache: 'off' } };
        return stage.start(agentOf({ model: choice }), { z: 1, id: 2 });
      }),
    );
    await stage.scene.ledger.called('/look/slow');
    await stage.scene.stack.workers[0]!.kill();
    await stage.scene.stack.addWorker();
    for (const id of ids) expect(await stage.ended(id)).toMatchObject({ status: 'succeeded', error: null });

    for (const wire of Object.keys(WIRES) as (keyof typeof WIRES)[]) {
      const bodies = told(wire);
      expect(bodies.length).toBeGreaterThanOrEqual(11);
      for (const [index, body] of bodies.slice(1).entries()) {
        const { list } = WIRES[wire];
        const [before, after] = [bodies[index]!, body].map((each) => JSON.stringify(each[list]));
        expect(after!.slice(0, before!.length - 1)).toBe(before!.slice(0, -1));
        expect({ ...body, [list]: null }).toEqual({ ...bodies[0], [list]: null });
      }
      const sent = partsOf(bodies.at(-1)!, wire);
      expect(sent.slice(0, 3)).toEqual([1, 2, 3].map((turn) => `opaque+${wire}/${turn}==`));
      expect(sent.length).toBeGreaterThanOrEqual(9);
    }
    const shown = await Promise.all(ids.map((id) => everythingAbout(id)));
    expect(JSON.stringify(shown)).not.toContain('opaque+');
  });

  // real-providers.e2e-spec.ts gives the same task to the providers themselves.
  it.each(Object.entries(WIRES))('goes back to %s while it follows hints', async (_, { model, list, opaque }) => {
    const [provider = '', name = ''] = model.split('/');
    const turns = PLACES.map((place, index) => ({ ...looks(place), reasoning: `opaque+${index}` }));
    stage.models.respondWith(...turns, { text: TRAIL_ANSWER });
    const choice = { provider, name, params: { effort: 'low' } };
    expect(await followHints(stage.scene, choice)).toHaveLength(4);
    const last = JSON.stringify(stage.models.requests.at(-1)!.body[list]);
    for (const { reasoning } of turns) expect(last).toContain(`"${opaque}":"${reasoning}"`);
  });

  it('is dropped from the run if the provider rejects it, and Claude then does not think', async () => {
    const raw = JSON.stringify({ error: { message: 'messages.1: Invalid `signature` in `thinking` block' } });
    stage.models.respondWith(
      { ...looks('a'), reasoning: 'opaque+1' },
      { status: 400, raw },
      { ...looks('b'), reasoning: 'opaque+2' },
      { text: 'Done.' },
    );
    const choice = { provider: 'anthropic', name: 'priced', params: { effort: 'low' } };
    const id = await stage.start(agentOf({ model: choice }));
    expect(await stage.ended(id)).toMatchObject({ status: 'succeeded', cost: { amount: '0.0006' } });
    const bodies = told('anthropic');
    expect(bodies.map((body) => [body.thinking, partsOf(body, 'anthropic')])).toEqual([
      [{ type: 'adaptive' }, []],
      [{ type: 'adaptive' }, ['opaque+1']],
      [{ type: 'disabled' }, []],
      [{ type: 'disabled' }, []],
    ]);
    const { steps } = await stage.client.trace(id);
    const warnings = [{ param: 'reasoning', reason: expect.any(String) }];
    expect(steps.filter(({ type }) => type === 'model_call')).toEqual([
      expect.not.objectContaining({ reasoning_dropped: true }),
      expect.objectContaining({ reasoning_dropped: true, effort: 'none', warnings }),
      expect.objectContaining({ effort: 'none', warnings }),
    ]);
  });

  it('is in no error, also if the provider repeats it', async () => {
    const reasoning = 'opaque+0123456789/0123456789==';
    const raw = JSON.stringify({ error: { message: `Neither ${reasoning} nor ${reasoning.slice(0, 20)} is a name.` } });
    stage.models.respondWith({ ...looks('a'), reasoning }, { status: 400, raw });
    const id = await stage.start(agentOf({ model: 'responses/priced' }));
    expect(await stage.ended(id)).toMatchObject({
      error: { message: expect.stringContaining('Neither [redacted] nor') },
    });
    expect(await everythingAbout(id)).not.toContain('opaque+');
  });

  it('was not sent if the provider names a signature, so the turn fails', async () => {
    stage.models.respondWith({ status: 400, raw: JSON.stringify({ error: { message: 'Invalid signature.' } }) });
    const id = await stage.start(agentOf({ model: 'anthropic/priced' }));
    expect(await stage.ended(id)).toMatchObject({ status: 'failed', error: { code: 'provider_error' } });
    expect(stage.models.requests).toHaveLength(1);
  });
});
