import type { JsonValue } from '@app/kernel';
import { WorkspaceBootstrapService } from '@app/workspace';
import type { TestingModule } from '@nestjs/testing';
import { startModules } from '../../../../test/support/module-app.js';
import { type Actor, AgentLifecycleService, AgentsModule, AgentsService, ModelCatalogService } from '../index.js';
import { aDefinition } from '../testing/definitions.js';
import { NoWorkOfAgents } from '../testing/no-work-of-agents.module.js';

const PROVIDERS = `providers:
  own:
    type: openai-compatible
    base_url: "http://localhost:1/v1"
    prices: { b: { input_per_million: "1", cache_read_per_million: "0.05", output_per_million: "5", currency: USD } }
    models: { a: { effort: [low], ends_at: 2030-01-31 } }`;

describe('the catalogue of models', () => {
  let app: TestingModule;
  let close: () => Promise<void>;
  let ada: Actor;

  beforeAll(async () => {
    ({ app, close } = await startModules([AgentsModule, NoWorkOfAgents], { env: { MODEL_PROVIDERS: PROVIDERS } }));
    const email = 'ada@acme.example';
    const bootstrap = app.get(WorkspaceBootstrapService);
    ada = { email, workspaceId: (await bootstrap.createWorkspace({ name: 'acme', adminEmail: email })).workspaceId };
  });
  afterAll(() => close());

  it('contains the models of the profiles and those of agents, with the number of agents that use them', async () => {
    const agents = app.get(AgentsService);
    const create = async (name: string, model: JsonValue) =>
      (await agents.create(ada, aDefinition({ name, model }))).agent;
    const one = await create('one', 'own/b');
    await create('two', { provider: 'own', name: 'b', fallback: ['own/b', 'other/x'] });
    const { id } = await create('three', 'own/a');
    const list = (agents: string[] | null = null) => app.get(ModelCatalogService).listModels(ada.workspaceId, agents);
    const uses = async (agents?: string[]) =>
      (await list(agents)).map(({ provider, name, usedBy }) => `${provider}/${name} ${usedBy}`);
    expect(await uses()).toEqual(['other/x 1', 'own/a 1', 'own/b 2']);
    expect(await uses([one.id])).toEqual(['own/a 0', 'own/b 1']);
    await app.get(AgentLifecycleService).archive(ada, id);
    expect(await uses()).toEqual(['other/x 1', 'own/a 0', 'own/b 2']);
    const [other, first, second] = await list();
    expect(other).toMatchObject({ facts: { input: ['text'], structuredOutput: false, effort: null }, price: null });
    expect(first).toMatchObject({ facts: { effort: ['low'], endsAt: '2030-01-31' }, price: null });
    expect(second?.price).toMatchObject({ cacheReadMicros: 50_000n, cacheWriteMicros: 1_000_000n, currency: 'USD' });
  });
});
