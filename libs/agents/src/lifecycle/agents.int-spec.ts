import { ConnectionAccessService } from '@app/connections';
import { newId } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { WorkspaceBootstrapService } from '@app/workspace';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { NoWorkOfAgents } from '../testing/no-work-of-agents.module.js';
import { startModules } from '../../../../test/support/module-app.js';
import { type Actor, AgentLifecycleService, AgentsModule, AgentsService } from '../index.js';
import { aDefinition } from '../testing/definitions.js';

describe('agents', () => {
  let app: TestingModule;
  let close: () => Promise<void>;
  let agents: AgentsService;
  let lifecycle: AgentLifecycleService;
  let sql: DataSource;
  let ada: Actor;
  let stranger: Actor;

  const anActor = async (name: string): Promise<Actor> => {
    const email = `ada@${name}.example`;
    const { workspaceId } = await app.get(WorkspaceBootstrapService).createWorkspace({ name, adminEmail: email });
    return { workspaceId, email };
  };

  beforeAll(async () => {
    ({ app, close } = await startModules([AgentsModule, NoWorkOfAgents]));
    agents = app.get(AgentsService);
    lifecycle = app.get(AgentLifecycleService);
    sql = app.get(DataSource);
  });

  beforeEach(async () => {
    ada = await anActor('acme');
    stranger = await anActor('globex');
  });

  afterAll(() => close());

  const archive = (id: string) => sql.query("update agents set status = 'archived' where id = $1", [id]);
  const create = async (name: string) => (await agents.create(ada, aDefinition({ name }))).agent;

  it('begin with version 1 in production and what their definition says of them', async () => {
    const { agent, webhookSecret } = await agents.create(
      ada,
      aDefinition({
        name: 'desk',
        description: 'Answers.',
        labels: { team: 'support' },
      }),
    );
    expect(agent).toEqual({
      id: expect.stringMatching(/^agt_[0-9a-z]{26}$/),
      workspaceId: ada.workspaceId,
      name: 'desk',
      description: 'Answers.',
      labels: { team: 'support' },
      project: null,
      status: 'active',
      productionVersion: 1,
      latestVersion: 1,
      mcpTool: null,
      budget: null,
      createdAt: expect.any(Date),
      updatedAt: agent.createdAt,
      triggers: [],
    });
    expect(await agents.get(ada.workspaceId, agent.id)).toEqual(agent);
    const [row] = await sql.query<{ hash: Buffer }[]>('select webhook_secret_hash as hash from agents where id = $1', [
      agent.id,
    ]);
    expect(row?.hash).toEqual(sha256(webhookSecret));
  });

  it('show the triggers of the version in production', async () => {
    const { id } = await create('desk');
    const triggers = [{ id: 'inbox', type: 'email.received', mailbox: 'desk@example.com' }];
    await sql.query('update agent_versions set definition = definition || $2 where agent_id = $1', [id, { triggers }]);
    expect((await agents.get(ada.workspaceId, id)).triggers).toEqual(triggers);
  });

  it('have names that are unique, however many are created at the same time', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => create('popular')));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['name_taken']));
    const [counted] = await sql.query<{ n: number }[]>(
      'select count(*)::int as n from agent_versions where workspace_id = $1',
      [ada.workspaceId],
    );
    expect(counted?.n).toBe(1);
  });

  it('leave their name to others once they are archived, and have it per workspace', async () => {
    const first = await create('desk');
    await agents.create(stranger, aDefinition({ name: 'desk' }));
    await expect(create('desk')).rejects.toMatchObject({ code: 'name_taken', errors: [{ pointer: '/name' }] });
    await archive(first.id);
    expect((await create('desk')).id).not.toBe(first.id);
  });

  it('share no tool of assistants with another agent of the workspace that is not archived', async () => {
    const exposed = (name: string): Parameters<typeof agents.create>[1] =>
      aDefinition({ name, description: 'Answers.', expose: { mcp: { tool: 'answer' } } });
    const { agent: first } = await agents.create(ada, exposed('one'));
    await agents.create(stranger, exposed('one'));
    await expect(agents.create(ada, exposed('two'))).rejects.toMatchObject({
      code: 'name_taken',
      errors: [{ pointer: '/expose/mcp/tool' }],
    });
    await archive(first.id);
    expect((await agents.create(ada, exposed('two'))).agent.mcpTool).toBe('answer');
  });

  it('may have a name that looks like a failure of the database', async () => {
    await create('terminated');
    await expect(create('terminated')).rejects.toMatchObject({ code: 'name_taken' });
  });

  it('are invisible to another workspace', async () => {
    const { id } = await create('desk');
    const other = stranger.workspaceId;
    await expect(agents.get(other, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(lifecycle.pause({ ...ada, workspaceId: other }, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(lifecycle.resume({ ...ada, workspaceId: other }, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await agents.list(other, { limit: 10, order: 'asc' })).toEqual({ data: [] });
    expect((await agents.get(ada.workspaceId, id)).status).toBe('active');
  });

  it.each(['', 'agt_', 'nonsense', 'run_00000000000000000000000000', "agt_' or 1=1"])(
    'have no id like %j',
    async (id) => {
      await expect(agents.get(ada.workspaceId, id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(lifecycle.pause(ada, id)).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  it('are paused and resumed, each as often as one likes', async () => {
    const { id } = await create('desk');
    for (let twice = 0; twice < 2; twice++) {
      expect((await lifecycle.pause(ada, id)).status).toBe('paused');
    }
    for (let twice = 0; twice < 2; twice++) {
      expect((await lifecycle.resume(ada, id)).status).toBe('active');
    }
    expect((await agents.get(ada.workspaceId, id)).status).toBe('active');
  });

  it('lose the grants to their name when they are archived', async () => {
    const aConnection = async (workspace: string, grants: string[]): Promise<string> => {
      const id = newId('connection');
      await sql.query(
        `insert into connections (id, workspace_id, name, provider, scopes, agents, created_by)
          values ($1, $2, $1, 'wiki', '{}', $3, 'ada')`,
        [id, workspace, grants],
      );
      return id;
    };
    const agentsOf = async (connection: string) =>
      (await sql.query<{ agents: string[] }[]>('select agents from connections where id = $1', [connection]))[0]
        ?.agents;
    const old = await create('desk');
    const granted = await aConnection(ada.workspaceId, ['name:desk', old.id, 'name:later', 'name:desk-2']);
    const foreign = await aConnection(stranger.workspaceId, ['name:desk']);
    await lifecycle.pause(ada, old.id);
    expect(await agentsOf(granted)).toContain('name:desk');

    await lifecycle.archive(ada, old.id);
    await lifecycle.archive(ada, old.id);
    const successor = await create('desk');
    const use = { workspaceId: ada.workspaceId, connection: granted, agentId: successor.id };
    const isNamed = async (name: string) => (await agents.idByName(ada.workspaceId, name)) === successor.id;
    await expect(app.get(ConnectionAccessService).accessToken({ ...use, isNamed })).rejects.toMatchObject({
      code: 'connection_forbidden',
    });
    expect(await agentsOf(granted)).toEqual([old.id, 'name:later', 'name:desk-2']);
    expect(await agentsOf(foreign)).toEqual(['name:desk']);
    const noted = `select detail from audit_events where target = $1 and action = 'connection.update'`;
    expect(await sql.query(noted, [granted])).toEqual([{ detail: { agents: [old.id, 'name:later', 'name:desk-2'] } }]);
  });

  it('cannot be woken from the archive', async () => {
    const { id } = await create('desk');
    await archive(id);
    await expect(lifecycle.pause(ada, id)).rejects.toMatchObject({ code: 'agent_archived' });
    await expect(lifecycle.resume(ada, id)).rejects.toMatchObject({ code: 'agent_archived' });
    expect((await agents.get(ada.workspaceId, id)).status).toBe('archived');
  });

  describe('in a list', () => {
    const walk = async (order: 'asc' | 'desc'): Promise<string[]> => {
      const names: string[] = [];
      let after: string | undefined;
      do {
        const page = await agents.list(ada.workspaceId, { limit: 2, order, after });
        expect(page.data.length).toBeLessThanOrEqual(2);
        names.push(...page.data.map(({ name }) => name));
        after = page.last;
      } while (after !== undefined);
      return names;
    };

    it('come in order of creation, in pages that neither miss nor repeat one', async () => {
      const names = ['a5', 'a3', 'a1', 'a2'];
      for (const name of names) await create(name);
      expect(await walk('asc')).toEqual(names);
      expect(await walk('desc')).toEqual([...names].reverse());
    });

    it('can be picked by name and by status; archived ones only by status', async () => {
      const [active, paused, archived] = [await create('a'), await create('b'), await create('c')];
      await lifecycle.pause(ada, paused.id);
      await archive(archived.id);
      const found = async (filter: object) => {
        const { data } = await agents.list(ada.workspaceId, { limit: 10, order: 'asc', ...filter });
        return data.map(({ id }) => id);
      };
      expect(await found({})).toEqual([active.id, paused.id]);
      expect(await found({ status: 'paused' })).toEqual([paused.id]);
      expect(await found({ status: 'archived' })).toEqual([archived.id]);
      expect(await found({ name: 'a' })).toEqual([active.id]);
      expect(await found({ name: 'c' })).toEqual([]);
    });
  });

  describe('refuse a definition', () => {
    it.each([
      ['that is no YAML', { text: 'name: [', format: 'yaml' }, 'invalid_yaml'],
      ['that is no JSON', { text: '{"name":', format: 'json' }, 'invalid_json'],
      ['that is incomplete', { text: 'description: nothing else', format: 'yaml' }, 'definition_invalid'],
      ['that is too large', { text: `# ${'x'.repeat(262_144)}`, format: 'yaml' }, 'payload_too_large'],
    ] as const)('%s, and store nothing', async (_, source, code) => {
      const places = code === 'payload_too_large' ? [] : [expect.objectContaining({ line: expect.any(Number) })];
      const refusal = { code, errors: expect.arrayContaining(places) };
      await expect(agents.create(ada, source)).rejects.toMatchObject(refusal);
      expect((await agents.list(ada.workspaceId, { limit: 1, order: 'asc' })).data).toEqual([]);
    });

    it.each([
      ['half \ud800 a surrogate pair', 'invalid_json'],
      ['a NUL \0 character', 'invalid_json'],
    ])('with text that Postgres cannot store: %j', async (description, code) => {
      await expect(agents.create(ada, aDefinition({ description }))).rejects.toMatchObject({
        code,
        errors: [{ pointer: '/description' }],
      });
    });
  });
});
