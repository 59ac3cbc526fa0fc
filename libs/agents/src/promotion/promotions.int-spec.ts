import { type JsonObject, newId } from '@app/kernel';
import { WorkspaceBootstrapService } from '@app/workspace';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { NoWorkOfAgents } from '../testing/no-work-of-agents.module.js';
import { startModules } from '../../../../test/support/module-app.js';
import {
  type Actor,
  AgentLifecycleService,
  AgentsModule,
  AgentsService,
  AgentVersionsService,
  type EvaluationStatus,
  PromotionsService,
} from '../index.js';
import { requireEvidence } from './promotion-evidence.js';
import { aDefinition } from '../testing/definitions.js';

const GATED: JsonObject = {
  evaluation: {
    cases: [{ name: 'a', input: {}, assert: [{ type: 'status', value: 'succeeded' }] }],
    gate: { min_pass_rate: 0.5, max_age: '7d' },
  },
};

describe('promotions', () => {
  let app: TestingModule;
  let close: () => Promise<void>;
  let agents: AgentsService;
  let versions: AgentVersionsService;
  let promotions: PromotionsService;
  let sql: DataSource;
  let ada: Actor;

  beforeAll(async () => {
    ({ app, close } = await startModules([AgentsModule, NoWorkOfAgents]));
    agents = app.get(AgentsService);
    versions = app.get(AgentVersionsService);
    promotions = app.get(PromotionsService);
    sql = app.get(DataSource);
  });

  beforeEach(async () => {
    const email = 'ada@example.com';
    const { workspaceId } = await app
      .get(WorkspaceBootstrapService)
      .createWorkspace({ name: 'acme', adminEmail: email });
    ada = { workspaceId, email };
  });

  afterAll(() => close());

  /**
   * Creates an agent with one version for each definition. The first version is in production. Returns the id of the
   * agent.
   */
  const anAgent = async (...definitions: JsonObject[]): Promise<string> => {
    const [first, ...others] = definitions.map((each, n) => aDefinition({ description: `version ${n + 1}`, ...each }));
    const { id } = (await agents.create(ada, first ?? aDefinition())).agent;
    for (const definition of others) await versions.create(ada, id, definition);
    return id;
  };

  const anEvaluation = async (
    agent: string,
    version: number,
    status: EvaluationStatus,
    {
      reasons = ['why'],
      age = '1 minute',
      baseline = 1,
    }: { reasons?: string[]; age?: string; baseline?: number | null } = {},
  ): Promise<string> => {
    const id = newId('evaluation');
    const open = status === 'queued' || status === 'running';
    const result = status === 'passed' || status === 'failed' ? status : 'inconclusive';
    await sql.query(
      `insert into evaluations (id, workspace_id, agent_id, version, baseline_version, status, gate, currency, created_by, ended_at, settled)
       values ($1, $2, $3, $4, $5, $6, $7, 'EUR', 'ada@example.com', clock_timestamp() - $8::interval, $9)`,
      [
        id,
        ada.workspaceId,
        agent,
        version,
        baseline,
        status,
        open ? null : { result, reasons },
        open ? null : age,
        !open,
      ],
    );
    return id;
  };

  const recorded = async (table: 'audit_events' | 'events', agent: string): Promise<object[]> => {
    const text = {
      audit_events: `select actor, action, detail from audit_events where target = $1 and action = 'agent.promote' order by id`,
      events: `select type, data from events where data ->> 'agent' = $1 order by id`,
    };
    return await sql.query<object[]>(text[table], [agent]);
  };

  it('make the version the production version with its name and labels, and record an audit entry and an event', async () => {
    const agent = await anAgent({}, { name: 'renamed', labels: { team: 'b' } });
    const promoted = await promotions.promote(ada, agent, 2);
    expect(promoted).toEqual({
      agentId: agent,
      productionVersion: 2,
      previousVersion: 1,
      evaluation: null,
      promotedAt: expect.any(Date),
      promotedBy: ada.email,
      warnings: [],
    });
    expect(await agents.get(ada.workspaceId, agent)).toMatchObject({
      name: 'renamed',
      description: 'version 2',
      labels: { team: 'b' },
      productionVersion: 2,
      latestVersion: 2,
    });
    const detail = { production_version: 2, previous_version: 1, evaluation: null };
    expect(await recorded('audit_events', agent)).toEqual([{ actor: ada.email, action: 'agent.promote', detail }]);
    expect(await recorded('events', agent)).toEqual([
      { type: 'agent.promoted', data: { agent, version: 2, ...detail, promoted_by: ada.email } },
    ]);
  });

  it('repeated change nothing and are answered alike', async () => {
    const agent = await anAgent({}, {});
    const first = await promotions.promote(ada, agent, 2);
    expect(await promotions.promote({ ...ada, email: 'bob@example.com' }, agent, 2)).toEqual(first);
    expect(await recorded('events', agent)).toHaveLength(1);
  });

  it('of the version that an agent began with say who made it', async () => {
    const agent = await anAgent({});
    expect(await promotions.promote(ada, agent, 1)).toMatchObject({
      productionVersion: 1,
      previousVersion: null,
      promotedBy: ada.email,
    });
    expect(await recorded('audit_events', agent)).toEqual([]);
  });

  it('of several at once let one win, and tell the others', async () => {
    const agent = await anAgent({}, {}, {}, {}, {});
    const outcomes = await Promise.allSettled([2, 3, 4, 5].map((version) => promotions.promote(ada, agent, version)));
    const won = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const lost = outcomes.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
    for (const reason of lost) expect(reason).toMatchObject({ code: 'precondition_failed' });
    // The previous version of each promotion is the production version of the promotion before it.
    const inOrder = won.toSorted((one, other) => one.promotedAt.getTime() - other.promotedAt.getTime());
    const events = await recorded('events', agent);
    expect(events).toMatchObject(
      inOrder.map(({ productionVersion, previousVersion }) => ({
        data: { production_version: productionVersion, previous_version: previousVersion },
      })),
    );
    let before = 1;
    for (const { productionVersion, previousVersion } of inOrder) {
      expect(previousVersion).toBe(before);
      before = productionVersion;
    }
    expect((await agents.get(ada.workspaceId, agent)).productionVersion).toBe(before);
  });

  it('of a version whose name another agent has are refused and change nothing', async () => {
    const agent = await anAgent({ name: 'one' }, { name: 'two' });
    await anAgent({ name: 'two' });
    await expect(promotions.promote(ada, agent, 2)).rejects.toMatchObject({ code: 'name_taken' });
    expect((await agents.get(ada.workspaceId, agent)).productionVersion).toBe(1);
  });

  it('of a version whose tool of assistants another agent has are refused and change nothing', async () => {
    const exposed = { description: 'Answers.', expose: { mcp: { tool: 'answer' } } };
    const agent = await anAgent({ name: 'three' }, { name: 'three', ...exposed });
    await anAgent({ name: 'four', ...exposed });
    await expect(promotions.promote(ada, agent, 2)).rejects.toMatchObject({
      code: 'name_taken',
      errors: [{ pointer: '/expose/mcp/tool' }],
    });
    expect((await agents.get(ada.workspaceId, agent)).productionVersion).toBe(1);
  });

  it('are refused for unknown and archived agents, unknown versions, and where the agent is not what was expected', async () => {
    const agent = await anAgent({}, {});
    for (const version of [3, 0, 1.5, 2 ** 31]) {
      await expect(promotions.promote(ada, agent, version)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(promotions.promote(ada, newId('agent'), 1)).rejects.toMatchObject({ code: 'not_found' });
    const stranger = { ...ada, workspaceId: newId('workspace') };
    await expect(promotions.promote(stranger, agent, 2)).rejects.toMatchObject({ code: 'not_found' });
    await expect(promotions.promote(ada, agent, 2, () => false)).rejects.toMatchObject({ code: 'precondition_failed' });
    await app.get(AgentLifecycleService).archive(ada, agent);
    await expect(promotions.promote(ada, agent, 2)).rejects.toMatchObject({ code: 'agent_archived' });
    await expect(versions.create(ada, agent, aDefinition())).rejects.toMatchObject({ code: 'agent_archived' });
  });

  describe('behind a gate', () => {
    it('need an evaluation that has passed', async () => {
      const agent = await anAgent({}, GATED);
      const refusal = async (): Promise<unknown> => promotions.promote(ada, agent, 2).catch((error: unknown) => error);
      expect(await refusal()).toMatchObject({ code: 'evaluation_required', extensions: { evaluation: null } });
      await anEvaluation(agent, 2, 'cancelled');
      expect(await refusal()).toMatchObject({ code: 'evaluation_required' });
      await anEvaluation(agent, 2, 'failed', { reasons: ['1 of 20 cases passed, but 50 % is required.'] });
      expect(await refusal()).toMatchObject({
        code: 'gate_failed',
        message: 'Version 2 cannot be promoted. 1 of 20 cases passed, but 50 % is required.',
        extensions: { gate: { result: 'failed', reasons: ['1 of 20 cases passed, but 50 % is required.'] } },
      });
      for (const status of ['inconclusive', 'errored'] as const) {
        await anEvaluation(agent, 2, status);
        expect(await refusal()).toMatchObject({
          code: 'gate_inconclusive',
          extensions: { gate: { reasons: ['why'] } },
        });
      }
      const running = await anEvaluation(agent, 2, 'running');
      expect(await refusal()).toMatchObject({
        code: 'evaluation_in_progress',
        extensions: { evaluation: { id: running, status: 'running' } },
      });
      await sql.query(`update evaluations set status = 'cancelled', ended_at = clock_timestamp() where id = $1`, [
        running,
      ]);
      const passed = await anEvaluation(agent, 2, 'passed');
      expect(await promotions.promote(ada, agent, 2)).toMatchObject({ evaluation: { id: passed, status: 'passed' } });
    });

    it('do not count an evaluation that is too old', async () => {
      const agent = await anAgent({}, GATED);
      await anEvaluation(agent, 2, 'passed', { age: '8 days' });
      await expect(promotions.promote(ada, agent, 2)).rejects.toMatchObject({ code: 'evaluation_required' });
    });

    it('need none to go back to what was in production before', async () => {
      const agent = await anAgent(GATED, GATED, GATED);
      await anEvaluation(agent, 2, 'passed');
      await promotions.promote(ada, agent, 2);
      expect(await promotions.promote(ada, agent, 1)).toMatchObject({ productionVersion: 1, previousVersion: 2 });
      expect(await promotions.promote(ada, agent, 2)).toMatchObject({ productionVersion: 2, previousVersion: 1 });
      await expect(promotions.promote(ada, agent, 3)).rejects.toMatchObject({ code: 'evaluation_required' });
    });

    it('that compares do not count a comparison with what is in production no longer', () => {
      const compare = (productionVersion: number, baselineVersion: number) => () =>
        requireEvidence(
          {
            version: 3,
            productionVersion,
            wasInProduction: false,
            gate: {
              minPassRate: null,
              confidence: 0.95,
              mustPassTags: [],
              maxRegressions: 0,
              maxCostIncrease: null,
              maxLatencyIncrease: null,
              maxAgeMs: null,
            },
            evaluation: {
              id: newId('evaluation'),
              ...ada,
              agentId: newId('agent'),
              agentName: 'invoice-router',
              version: 3,
              baselineVersion,
              fixtures: {},
              status: 'passed',
              cases: { total: 1, passed: 1, failed: 0, errored: 0, inconclusive: 0 },
              passRate: 1,
              confidenceLow: 0.3,
              gate: { result: 'passed', reasons: [] },
              costMicros: '0',
              currency: 'EUR',
              createdBy: ada.email,
              createdAt: new Date(0),
              endedAt: new Date(0),
              settled: true,
              lookedAt: new Date(0),
            },
          },
          new Date(0),
        );
      expect(compare(1, 1)).not.toThrow();
      expect(compare(2, 1)).toThrow(expect.objectContaining({ code: 'evaluation_required' }));
    });
  });
});
