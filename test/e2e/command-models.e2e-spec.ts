import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CommandLine, type CommandOptions } from '../support/command-line.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';

describe('the commands about models', () => {
  let stage: ModelScene;
  let aas: CommandLine;
  let key: string;

  beforeAll(async () => {
    stage = await ModelScene.start();
    aas = await CommandLine.open({ AAS_URL: stage.scene.stack.baseUrl });
  });
  // The checks of a key are limited.
  beforeEach(async () => {
    const { member } = await stage.client.expect<{ member: string }>('GET', '/v1/me');
    const body = { name: 'cli', kind: 'live', role: 'builder', member };
    ({ key } = await stage.client.expect<{ key: string }>('POST', '/v1/api-keys', body));
  });
  afterEach(() => stage.reset());
  afterAll(async () => {
    await aas.close();
    await stage.stop();
  });

  const check = async (...args: string[]) => {
    const { code, stdout } = await aas.run(['models', 'check', ...args, '-o', 'json'], { env: { AAS_API_KEY: key } });
    return { code, rows: JSON.parse(stdout || '[]') as { provider: string; name: string; ok: boolean }[] };
  };
  const init = async (folder: string, template: string, options: CommandOptions = {}) => {
    const cwd = join(aas.home, folder);
    await mkdir(cwd);
    expect(await aas.run(['init', template], { cwd, env: { AAS_API_KEY: key, ...options.env } })).toMatchObject({
      code: 0,
      stdout: '',
    });
    const text = await readFile(join(cwd, 'agents', `${template}.yaml`), 'utf8');
    return parse(text) as { model?: unknown; steps?: unknown };
  };

  it('check the first model of each profile while no agent uses one', async () => {
    const { code, rows } = await check('--yes');
    expect(code).toBe(0);
    expect(rows.map(({ provider, name }) => `${provider}/${name}`)).toEqual([
      'anthropic/priced',
      'dollars/priced',
      'fake/priced',
      'google/priced',
      'openai/gpt-6.1-terra',
      'responses/formed',
      'spare/priced',
    ]);
  });

  it('write the first listed model into a template while no agent uses one', async () => {
    expect(await init('listed', 'hello')).toMatchObject({ model: 'anthropic/priced' });
  });

  it('prefer the model that agents use', async () => {
    await stage.client.createAgent(aModelAgent(stage.scene.ledger.url, { name: 'user', model: 'fake/used' }));
    const { rows } = await check('--yes');
    expect(rows).toContainEqual(expect.objectContaining({ provider: 'fake', name: 'used', ok: true }));
    expect(rows.filter(({ provider }) => provider === 'fake')).toHaveLength(1);
    expect(await init('used', 'hello')).toMatchObject({ model: 'fake/used' });
    expect(await init('cookbook', 'linear-bugs')).toMatchObject({ model: { provider: 'fake', name: 'used' } });
    expect(await init('parameters', 'rss-digest')).toMatchObject({
      model: { provider: 'fake', name: 'used', params: { max_output_tokens: 4000 } },
    });
    expect((await aas.run(['validate', join(aas.home, 'used', 'agents')], { env: { AAS_API_KEY: key } })).code).toBe(0);
  });

  it('write no model for a person who is not signed in', async () => {
    const hello = await init('signed-out', 'hello', { env: { AAS_API_KEY: '' } });
    expect(hello.steps).toBeDefined();
    expect(hello.model).toBeUndefined();
  });

  it('write no model if the service does not answer', async () => {
    expect((await init('unreachable', 'hello', { env: { AAS_URL: 'http://127.0.0.1:1' } })).model).toBeUndefined();
  });

  it('end with 1 if one of the named models fails', async () => {
    stage.models.respondWith({ text: 'ready' }, { status: 401 });
    const { code, rows } = await check('fake/priced', 'responses/a/b', '--yes');
    expect(code).toBe(1);
    expect(rows).toMatchObject([
      { provider: 'fake', name: 'priced', ok: true },
      { provider: 'responses', name: 'a/b', ok: false, error: { code: 'provider_error' } },
    ]);
    expect(await check('nobody/m', '--yes')).toMatchObject({
      code: 1,
      rows: [{ ok: false, error: { code: 'unknown_reference' } }],
    });
  });

  it.each([
    ['without a terminal and --yes', ['fake/priced']],
    ['with a name without a provider', ['priced', '--yes']],
  ])('end with 2 %s, and ask no model', async (_, args) => {
    expect(await check(...args)).toMatchObject({ code: 2, rows: [] });
    expect(stage.models.requests).toEqual([]);
  });
});
