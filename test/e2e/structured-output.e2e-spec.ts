import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { CommandLine } from '../support/command-line.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';

const SUM: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['sum'],
  properties: { sum: { type: 'number' } },
};
const LOOSE: JsonObject = { type: 'object', properties: { sum: { type: 'number', minimum: 0 } } };

describe('an answer in the form of a schema', () => {
  let stage: ModelScene;

  beforeAll(async () => {
    stage = await ModelScene.start();
  });
  afterEach(() => stage.reset());
  afterAll(() => stage.stop());

  const agent = (output: JsonObject, more: JsonObject = {}): JsonObject =>
    aModelAgent(stage.scene.ledger.url, { model: 'responses/formed', output, ...more });
  const formats = () => stage.models.requests.map(({ body }) => (body.text as JsonObject | undefined)?.format ?? null);
  const systemOf = (index: number): string => JSON.stringify(stage.models.requests[index]!.messages[0]);

  it('is asked for by the response format, beside tools and in the repair turn', async () => {
    const calls = [{ name: 'shop_look', input: { place: 'a' } }];
    stage.models.respondWith({ calls }, { text: '{"sum": "four"}' }, { text: '{"sum": 4}' });
    const id = await stage.start(agent(SUM));
    expect(await stage.ended(id)).toMatchObject({ status: 'succeeded', output: { sum: 4 } });
    const format = { type: 'json_schema', name: expect.any(String), strict: true, schema: SUM };
    expect(formats()).toEqual([format, format, format]);
    expect(stage.models.requests[0]!.tools).toEqual(['shop_look', 'shop_pay']);
    expect(systemOf(0)).toContain('response format');
    expect(systemOf(0)).not.toContain('sum');
  });

  it('of an agent step is asked for in the same way', async () => {
    const steps = [{ id: 'add', agent: { instructions: 'Add.', output: SUM } }];
    stage.models.respondWith({ text: '{"sum": 4}' });
    const { output: _, instructions: __, ...plan } = agent(SUM, { steps });
    expect(await stage.ended(await stage.start(plan))).toMatchObject({ status: 'succeeded' });
    expect(formats()).toMatchObject([{ schema: SUM }]);
  });

  it.each<[string, JsonObject, string]>([
    ['the schema is no response format', LOOSE, 'responses/formed'],
    ['the model has none', SUM, 'responses/priced'],
  ])('stays in the prompt if %s', async (_, output, model) => {
    stage.models.respondWith({ text: '{"sum": 4}' });
    const id = await stage.start(agent(output, { model }));
    expect(await stage.ended(id)).toMatchObject({ status: 'succeeded', output: { sum: 4 } });
    expect(formats()).toEqual([null]);
    expect(systemOf(0)).toContain('JSON Schema');
  });

  it('has notes of the validator about schemas that stay in the prompt', async () => {
    const validate = (definition: JsonObject) =>
      stage.client.expect<JsonObject>('POST', '/v1/definitions/validate', definition);
    const step = { id: 'add', agent: { instructions: 'Add.', output: { ...SUM, required: [] } } };
    expect(await validate(agent(LOOSE))).toMatchObject({
      valid: true,
      notes: [{ pointer: '/output', detail: expect.stringContaining('additionalProperties') }],
    });
    const { instructions: _, ...plan } = agent(LOOSE, { steps: [step] });
    expect(await validate(plan)).toMatchObject({ notes: [{ pointer: '/steps/0/agent/output/required' }] });
    expect(await validate(agent(SUM))).toMatchObject({ notes: [] });
    expect(await validate(agent(LOOSE, { model: 'responses/priced' }))).toMatchObject({ notes: [] });
    expect(await validate({ name: 'Not A Name' })).toMatchObject({ valid: false, notes: [] });
  });

  it('has notes that the command line prints', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aas-notes-'));
    await writeFile(join(folder, 'loose.json'), JSON.stringify(agent(LOOSE)));
    const { baseUrl, adminKey } = stage.scene.stack;
    const aas = await CommandLine.open({ AAS_URL: baseUrl, AAS_API_KEY: adminKey });
    const { code, stderr } = await aas.run(['validate', 'loose.json'], { cwd: folder });
    expect([code, stderr]).toEqual([0, expect.stringContaining('loose.json:/output: note: The schema is sent')]);
    await aas.close();
    await rm(folder, { recursive: true });
  });
});
