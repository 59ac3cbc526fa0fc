import type { RunAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aModelAgent } from '../support/model-agents.js';
import { MODEL_API_KEY, modelProfiles } from '../support/model-profiles.js';
import { ModelServer } from '../support/model-server.js';
import { type LoneScene, Scene } from '../support/scene.js';
import { aToolAgent, type ToolOperationName } from '../support/tool-agents.js';

const NEVER = '3600000';
/**
 * Names of statements in the background, for which no run waits: the count of due runs, the statistics of ended runs,
 * and the text of models for readers.
 */
const BACKGROUND = ['runs.count_due', 'run_statistics.roll_up', 'database_notify'];

describe('the database round trips of a run', () => {
  let scene: LoneScene;
  let models: ModelServer;

  beforeAll(async () => {
    models = await ModelServer.start();
    scene = await Scene.alone({
      why: 'counts statements',
      tapped: true,
      env: {
        // The intervals are long, so that no periodic statement is counted as part of a run.
        WORKER_LEASE_MS: NEVER,
        MODEL_PROVIDERS: JSON.stringify({ providers: modelProfiles(models.url, models.url) }),
        TEST_MODEL_KEY: MODEL_API_KEY,
        RUN_EVENTS_MAX_STREAMS: '50',
      },
    });
  });
  afterAll(async () => {
    await models.close();
    await scene.stop();
  });

  /**
   * Starts a run. Returns the statements for which the service waited until the run ended, except those of the queue
   * and of the LISTEN heartbeat.
   */
  async function roundTripsOfARun(agent: string): Promise<string[]> {
    scene.tap.roundTrips.length = 0;
    const { id } = await scene.stack.client.startRun(agent);
    await eventually(async () => {
      const [run] = await observe(id);
      expect(run?.status).toBe('succeeded');
    });
    return scene.tap.roundTrips
      .filter(({ application }) => !/^(queue|test)| listener$/.test(application))
      .map(({ statement }) => statement)
      .filter((statement) => !BACKGROUND.includes(statement));
  }

  const observe = (id: string) => scene.stack.query<{ status: string }>('select status from runs where id = $1', [id]);

  it.each([1, 4])('are k + 3 with k = %i tool calls, the accepting request included', async (k) => {
    const calls = Array.from({ length: k }, (_, n): [ToolOperationName, string] => ['read', `/${n}`]);
    const agent = await scene.stack.client.createAgent(aToolAgent(`calls-${k}`, scene.ledger.url, calls));
    const expected = [
      'run_machine_create_run',
      'run_machine_claim',
      ...Array.from({ length: k }, () => 'run_machine_advance'),
      'run_machine_finish',
    ];
    // The first run also reads the API key, the production version and the definition, which are then cached for some
    // seconds. On a busy machine, the cache may expire before the next run begins, so the check is repeated.
    await eventually(async () => expect(await roundTripsOfARun(agent)).toEqual(expected));
  });

  it('are k + 3 with k turns and tool calls of a model, whose reasoning goes back and forth', async () => {
    const look = { calls: [{ name: 'shop_look', input: { place: 'a' } }], reasoning: 'opaque' };
    const definition = aModelAgent(scene.ledger.url, { model: 'responses/priced' });
    const agent = await scene.stack.client.createAgent(definition);
    const expected = [
      'run_machine_create_run',
      'run_machine_claim',
      ...Array.from({ length: 5 }, () => 'run_machine_advance'),
      'run_machine_finish',
    ];
    await eventually(async () => {
      models.reset();
      models.respondWith(look, look, { text: 'Done.', reasoning: 'opaque' });
      expect(await roundTripsOfARun(agent)).toEqual(expected);
    });
    expect(JSON.stringify(models.requests[2]?.body)).toContain('"encrypted_content":"opaque"');
  });

  it('of up to fifty deliveries are two, for any endpoints: they are claimed and recorded together', async () => {
    const { stack, tap, ledger } = scene;
    const [endpoints, events] = [24, 2];
    ledger.always('/events', { hang: true });
    for (let n = 0; n < endpoints; n++)
      await stack.client.expect('POST', '/v1/webhook-endpoints', {
        url: `${ledger.url}/events`,
        events: ['workspace.resumed'],
      });
    tap.roundTrips.length = 0;
    await stack.query(
      `insert into events (id, workspace_id, type, data)
         select platform.new_id('evt'), $1, 'workspace.resumed', '{}' from generate_series(1, $2::integer)`,
      [stack.workspaceId, events],
    );
    await ledger.called('/events', endpoints * events);
    ledger.release('/events');
    await eventually(async () =>
      expect(await stack.query('select status, count(*)::integer from webhook_deliveries group by status')).toEqual([
        { status: 'delivered', count: endpoints * events },
      ]),
    );
    const asked = tap.roundTrips.map(({ statement }) => statement).filter((name) => name.startsWith('webhooks_'));
    // The service records the outcomes of deliveries in batches. If all responses arrive within one batch interval,
    // there are two statements. On a busy machine there may be more.
    expect(new Set(asked)).toEqual(new Set(['webhooks_claim', 'webhooks_record']));
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  it('of a webhook is one', async () => {
    const { stack, tap } = scene;
    const agent = await stack.client.expect<{ id: string; webhook_secret: string }>('POST', '/v1/agents', {
      ...aToolAgent('hooked', scene.ledger.url, []),
      triggers: [{ id: 'hook', type: 'webhook', filter: 'body.n > 0.0', map: { n: '${{ body.n }}' } }],
    });
    const trigger = async (n: number) => {
      const response = await fetch(`${stack.baseUrl}/v1/agents/${agent.id}/trigger`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-service-webhook-secret': agent.webhook_secret,
          'webhook-id': `delivery-${n}`,
        },
        body: JSON.stringify({ n }),
      });
      expect(response.status).toBe(202);
    };
    await trigger(1);
    tap.roundTrips.length = 0;
    await trigger(2);
    const ofTheApi = tap.roundTrips.filter(({ application }) => application === 'api');
    expect(ofTheApi.map(({ statement }) => statement).filter((statement) => !BACKGROUND.includes(statement))).toEqual([
      'run_machine_take_event',
    ]);
  });

  it('of all starts that wait for the ends of their runs are the same, and a start beyond the limit does not wait', async () => {
    const { stack, tap, ledger } = scene;
    ledger.always('/work', { hang: true });
    const agent = await stack.client.createAgent(aToolAgent('waited', ledger.url, [['read', '/work']]));
    const start = () =>
      stack.client.call<RunAnswer>('POST', `/v1/agents/${agent}/runs`, { input: {} }, { prefer: 'wait=5' });
    const looks = () => tap.roundTrips.filter(({ statement }) => statement === 'watched_runs_changes').length;
    const answers = Array.from({ length: 55 }, start);
    const beyond = await Promise.race(answers);
    expect([beyond.status, beyond.body.status]).toEqual([202, 'queued']);
    await ledger.called('/work');
    const before = looks();
    ledger.release('/work');
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(5);
    // If each of the 50 waiting requests polled separately, there would be at least 50 further polls.
    expect(looks() - before).toBeLessThan(50);
    // Calls that still wait for a response would prevent the worker from shutting down.
    ledger.reset();
    ledger.release('/work');
  });
});
