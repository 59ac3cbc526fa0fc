import { WorkspaceBootstrapService } from '@app/workspace';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { NoWorkOfAgents } from '../testing/no-work-of-agents.module.js';
import { startModules } from '../../../../test/support/module-app.js';
import { ManualClock } from '../../../kernel/src/testing/manual-clock.js';
import { type Actor, AgentsModule, AgentsService, AgentVersionsService, CompiledVersionsService } from '../index.js';
import { aDefinition } from '../testing/definitions.js';

describe('versions of an agent', () => {
  const clock = new ManualClock();
  let app: TestingModule;
  let close: () => Promise<void>;
  let agents: AgentsService;
  let versions: AgentVersionsService;
  let compiled: CompiledVersionsService;
  let sql: DataSource;
  let ada: Actor;
  let stranger: Actor;

  const anActor = async (name: string): Promise<Actor> => {
    const email = `ada@${name}.example`;
    const { workspaceId } = await app.get(WorkspaceBootstrapService).createWorkspace({ name, adminEmail: email });
    return { workspaceId, email };
  };

  beforeAll(async () => {
    ({ app, close } = await startModules([AgentsModule, NoWorkOfAgents], { clock }));
    agents = app.get(AgentsService);
    versions = app.get(AgentVersionsService);
    compiled = app.get(CompiledVersionsService);
    sql = app.get(DataSource);
  });

  beforeEach(async () => {
    ada = await anActor('acme');
    stranger = await anActor('globex');
  });

  afterAll(() => close());

  const create = async (overrides: object = {}) => (await agents.create(ada, aDefinition({ ...overrides }))).agent;
  const add = (agentId: string, description: string) => versions.create(ada, agentId, aDefinition({ description }));
  const promote = (agentId: string, version: number) =>
    sql.query('update agents set production_version = $2 where id = $1', [agentId, version]);

  it('are numbered without gaps when twenty are created at the same time', async () => {
    const { id } = await create();
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => add(id, `number ${n}`)));
    expect(made.every(({ created }) => created)).toBe(true);
    expect(made.map(({ version }) => version.version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 2),
    );
    expect(await agents.get(ada.workspaceId, id)).toMatchObject({ productionVersion: 1, latestVersion: 21 });
  });

  it('keep the text as it was sent, and the hash of what it means', async () => {
    const text = '# a comment\nname: greeter\nsteps:\n  - { id: result, output: { greeting: hello } }\n';
    const { agent } = await agents.create(ada, { text, format: 'yaml' });
    const version = await versions.get(ada.workspaceId, agent.id, 1);
    expect(version).toEqual({
      agentId: agent.id,
      workspaceId: ada.workspaceId,
      version: 1,
      source: text,
      sourceFormat: 'yaml',
      definition: { name: 'greeter', steps: [{ id: 'result', output: { greeting: 'hello' } }] },
      definitionHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      createdAt: expect.any(Date),
      createdBy: ada.email,
      evaluation: null,
      project: null,
      isProduction: true,
    });
  });

  it('are not made for a definition that means the same as the latest', async () => {
    const { id } = await create();
    const text = '# only the layout differs\nsteps: [{ output: { greeting: hello }, id: result }]\nname: greeter\n';
    const same = await versions.create(ada, id, { text, format: 'yaml' });
    expect(same).toMatchObject({ created: false, version: { version: 1, sourceFormat: 'json' } });

    await add(id, 'second');
    const back = await versions.create(ada, id, aDefinition());
    expect(back).toMatchObject({ created: true, version: { version: 3 } });
  });

  it('are made once when the same definition is sent by many at the same time', async () => {
    const { id } = await create();
    const made = await Promise.all(Array.from({ length: 10 }, () => add(id, 'second')));
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(made.map(({ version }) => version.version))).toEqual(new Set([2]));
  });

  it('never change what is in production', async () => {
    const { id } = await create({ description: 'first' });
    const { version } = await add(id, 'second');
    expect(version.isProduction).toBe(false);
    expect(await agents.get(ada.workspaceId, id)).toMatchObject({ description: 'first', productionVersion: 1 });
  });

  it('may bring another name, but not one that another agent has', async () => {
    const { id } = await create({ name: 'desk' });
    await create({ name: 'taken' });
    await expect(versions.create(ada, id, aDefinition({ name: 'taken' }))).rejects.toMatchObject({
      code: 'name_taken',
    });
    const { version } = await versions.create(ada, id, aDefinition({ name: 'front-desk' }));
    expect(version).toMatchObject({ version: 2, definition: { name: 'front-desk' } });
    expect((await agents.get(ada.workspaceId, id)).name).toBe('desk');
  });

  it('are not added to an archived agent', async () => {
    const { id } = await create();
    await sql.query("update agents set status = 'archived' where id = $1", [id]);
    await expect(add(id, 'late')).rejects.toMatchObject({ code: 'agent_archived' });
    expect((await versions.get(ada.workspaceId, id, 1)).version).toBe(1);
  });

  it('are invisible to another workspace', async () => {
    const { id } = await create();
    const other = stranger.workspaceId;
    await expect(versions.create(stranger, id, aDefinition())).rejects.toMatchObject({ code: 'not_found' });
    await expect(versions.get(other, id, 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(versions.list(other, id, { limit: 5, order: 'asc' })).rejects.toMatchObject({ code: 'not_found' });
    await compiled.production(ada.workspaceId, id);
    await expect(compiled.production(other, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(compiled.get(other, id, 1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([0, -1, 1.5, NaN, 2, 2 ** 31, 2 ** 53])('have no number %d', async (number) => {
    const { id } = await create();
    await expect(versions.get(ada.workspaceId, id, number)).rejects.toMatchObject({ code: 'not_found' });
    await expect(compiled.get(ada.workspaceId, id, number)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are listed by number, also where text would be ordered differently', async () => {
    const { id } = await create();
    for (let n = 2; n <= 11; n++) await add(id, `number ${n}`);
    await promote(id, 9);
    const first = await versions.list(ada.workspaceId, id, { limit: 3, order: 'desc' });
    expect(first.data.map(({ version }) => version)).toEqual([11, 10, 9]);
    expect(first.data.map(({ isProduction }) => isProduction)).toEqual([false, false, true]);
    const second = await versions.list(ada.workspaceId, id, { limit: 10, order: 'desc', after: first.last });
    expect(second.data.map(({ version }) => version)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(second.last).toBeUndefined();
    expect(second.data[0]).toHaveProperty('source', undefined);
    expect(second.data[0]).toHaveProperty('definition.description', 'number 8');
  });

  describe('compiled', () => {
    it('are compiled once', async () => {
      const { id } = await create();
      const first = await compiled.get(ada.workspaceId, id, 1);
      expect(first.kind).toBe('steps');
      expect(await compiled.get(ada.workspaceId, id, 1)).toBe(first);
      expect((await compiled.production(ada.workspaceId, id)).definition).toBe(first);
    });

    it('are those in production at most a second ago', async () => {
      const { id } = await create();
      await add(id, 'second');
      expect((await compiled.production(ada.workspaceId, id)).version).toBe(1);
      await promote(id, 2);
      clock.pass(1_000);
      const production = await compiled.production(ada.workspaceId, id);
      expect(production).toMatchObject({ version: 2, definition: { description: 'second' } });
    });

    it('are looked up again when an attempt finds that another version is in production', async () => {
      const { id } = await create();
      await add(id, 'second');
      await compiled.production(ada.workspaceId, id);
      await promote(id, 2);
      const versions: number[] = [];
      const result = await compiled.withProduction(ada.workspaceId, id, async () => {
        const { version } = await compiled.production(ada.workspaceId, id);
        versions.push(version);
        return version === 2 ? 'started' : 'version_changed';
      });
      expect([result, versions]).toEqual(['started', [1, 2]]);
    });

    it('are looked up three times at most', async () => {
      const { id } = await create();
      let attempts = 0;
      const changing = compiled.withProduction(ada.workspaceId, id, () => {
        attempts += 1;
        return Promise.resolve('version_changed');
      });
      await expect(changing).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
      expect(attempts).toBe(3);
    });

    it('in production are looked up for several agents at once', async () => {
      const created = await Promise.all(['one', 'two', 'three'].map((name) => create({ name })));
      const [one, two, three] = created.map(({ id }) => id) as [string, string, string];
      await add(two, 'second');
      await promote(two, 2);
      const unknown = 'agt_01234567890123456789012345';
      const found = [one, unknown, two, three].map((id) => compiled.production(ada.workspaceId, id));
      expect(await Promise.allSettled(found)).toMatchObject([
        { value: { version: 1, definition: { name: 'one' } } },
        { reason: { code: 'not_found' } },
        { value: { version: 2 } },
        { value: { version: 1, definition: { name: 'three' } } },
      ]);
    });

    it('of an unknown agent are not found', async () => {
      await expect(compiled.production(ada.workspaceId, 'agt_01234567890123456789012345')).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(compiled.production(ada.workspaceId, 'nonsense')).rejects.toMatchObject({ code: 'not_found' });
    });
  });
});
