import { newId } from '@app/kernel';
import { GREETER, greeterNamed } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, CallOptions, TestTenant } from '../support/http-api.js';
import { anOpenApproval } from '../support/open-approval.js';

const YAML = { 'Content-Type': 'application/yaml' };
const HOUR = 3_600_000;

// No worker runs in this test, so approvals keep the state in which the test creates them.
describe('the inbox of approvals', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let bob: string;
  let agents: string[];

  beforeAll(async () => {
    api = await startApi({ env: { PUBLIC_URL: 'https://agents.example.com' } });
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
    const made = [GREETER, greeterNamed('second')].map((body) => call('POST', '/v1/agents', { body, headers: YAML }));
    agents = (await Promise.all(made)).map(({ body }) => String(body.id));
    await call('POST', '/v1/members', { body: { email: 'bob@example.com', role: 'operator' } });
    await call('POST', '/v1/groups', { body: { name: 'finance', members: ['bob@example.com'] } });
    const key = { name: 'bob', kind: 'live', role: 'operator', member: 'bob@example.com' };
    bob = String((await call('POST', '/v1/api-keys', { body: key })).body.key);
  });

  afterAll(() => api.close());

  const call = (method: string, path: string, options: CallOptions = {}): Promise<ApiAnswer> =>
    api.call(method, path, { key: tenant.adminKey, ...options });

  interface Asked {
    run: string;
    id: string;
    expiresAt: string;
  }

  /** Creates a run with an open approval. `set` contains SQL assignments to columns of the approval. */
  const anApproval = async (set = `approvers = '{finance}'`, hours = 1, agent = agents[0]): Promise<Asked> => {
    const { body: run } = await call('POST', `/v1/agents/${agent}/runs`, { body: { input: { name: 'Ada' } } });
    const id = newId('approval');
    const expiresAt = new Date(Date.now() + hours * HOUR).toISOString();
    await api.execute(`${anOpenApproval(run.id, id)};
      update approvals set expires_at = '${expiresAt}', ${set} where id = '${id}'`);
    return { run: run.id, id, expiresAt };
  };

  const listed = async (query: string, key = tenant.adminKey): Promise<string[]> => {
    const { status, body } = await call('GET', `/v1/approvals?${query}`, { key });
    expect([query, status]).toEqual([query, 200]);
    return body.data.map(({ id }: { id: string }) => id);
  };

  it('shows an approval by its id, with the version of its request and whether the caller may decide', async () => {
    const { id, run } = await anApproval();
    const shown = await call('GET', `/v1/approvals/${id}`, { key: bob });
    expect(shown).toMatchObject({
      status: 200,
      body: {
        id,
        run,
        agent: agents[0],
        agent_name: 'greeter',
        request_revision: 1,
        can_decide: true,
        cannot_decide_reason: null,
        console_url: `https://agents.example.com/console/approvals/${id}`,
      },
    });
    expect(shown.headers.get('etag')).toBe('"1"');
    expect((await call('GET', `/v1/runs/${run}/approvals/${id}`, { key: bob })).body).toEqual(shown.body);
    const { body: others } = await call('GET', `/v1/approvals/${id}`);
    expect(others).toMatchObject({ can_decide: false, cannot_decide_reason: 'not_an_approver' });
    for (const unknown of ['apr_1', newId('approval')]) {
      expect(await call('GET', `/v1/approvals/${unknown}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it('gives the reason that a decision would be refused with', async () => {
    const own = await anApproval(`approvers = '{}', self_approval = false`);
    const reasonOf = async ({ id }: Asked, key = tenant.adminKey) =>
      (await call('GET', `/v1/approvals/${id}`, { key })).body.cannot_decide_reason;
    expect(await reasonOf(own)).toBe('self_approval_forbidden');
    expect(await reasonOf(own, bob)).toBe('not_an_approver');
    const refused = await call('POST', `/v1/runs/${own.run}/approvals/${own.id}`, { body: { decision: 'approve' } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'self_approval_forbidden' } });
    const closed = await anApproval(`status = 'approved', decided_at = now()`);
    expect(await reasonOf(closed, bob)).toBe('approval_already_decided');
  });

  it('lets a test key decide about runs in mode test only', async () => {
    const body = { name: 'bob', kind: 'test', role: 'operator', member: 'bob@example.com' };
    const { key } = (await call('POST', '/v1/api-keys', { body })).body;
    const inProduction = await anApproval();
    const inTest = await anApproval();
    await api.execute(`update runs set mode = 'test' where id = '${inTest.run}'`);
    const decide = ({ run, id }: Asked, decision: string) =>
      call('POST', `/v1/runs/${run}/approvals/${id}`, { key, body: { decision } });
    for (const decision of ['approve', 'reject']) {
      const refused = await decide(inProduction, decision);
      expect([refused.status, refused.body.code]).toEqual([403, 'test_key_production_mode']);
    }
    const shown = await call('GET', `/v1/approvals/${inProduction.id}`, { key });
    expect(shown.body).toMatchObject({ can_decide: false, cannot_decide_reason: 'test_key_production_mode' });
    expect(await listed('mine=true', key)).toEqual([inTest.id]);
    expect((await listed('mine=true', bob)).sort()).toEqual([inProduction.id, inTest.id].sort());
    const { body: changes } = await call('GET', '/v1/changes', { key });
    expect(changes).toMatchObject({ approvals_open: 2, approvals_mine: 1, approvals_mine_test: 1 });
    expect(await decide(inTest, 'approve')).toMatchObject({ status: 200, body: { status: 'approved' } });
  });

  it('says in which mode the run is, is filtered by it, and counts test runs apart', async () => {
    const inProduction = await anApproval();
    const inTest = await anApproval();
    await api.execute(`update runs set mode = 'test' where id = '${inTest.run}'`);
    const { body: all } = await call('GET', '/v1/approvals?order=asc');
    expect(all.data.map(({ id, mode }: { id: string; mode: string }) => [id, mode])).toEqual([
      [inProduction.id, 'production'],
      [inTest.id, 'test'],
    ]);
    expect((await call('GET', `/v1/approvals/${inTest.id}`)).body.mode).toBe('test');
    expect((await call('GET', `/v1/runs/${inTest.run}`)).body.approvals).toMatchObject([{ mode: 'test' }]);
    expect(await listed('mode=test')).toEqual([inTest.id]);
    expect(await listed('mine=true&mode=production', bob)).toEqual([inProduction.id]);
    expect((await call('GET', '/v1/approvals?mode=draft')).body.code).toBe('invalid_request');
    const { body: page } = await call('GET', '/v1/approvals?mode=test&limit=1');
    expect(page.next_cursor).toBeUndefined();
    const changes = (key: string) => call('GET', '/v1/changes', { key });
    expect((await changes(bob)).body).toMatchObject({ approvals_open: 2, approvals_mine: 2, approvals_mine_test: 1 });
    const stranger = await api.newTenant();
    expect(await listed('mode=test', stranger.adminKey)).toEqual([]);
    expect((await changes(stranger.adminKey)).body).toMatchObject({ approvals_mine: 0, approvals_mine_test: 0 });
  });

  it('says who started the run, or what if no person did', async () => {
    const { id, run } = await anApproval();
    const { initiator } = (await call('GET', `/v1/runs/${run}`)).body;
    const first = (await call('GET', '/v1/approvals')).body.data[0];
    expect([first.id, first.initiator, first.trigger_type]).toEqual([id, initiator, 'api']);
    await api.execute(`update runs set initiator = null, trigger = '{"type": "schedule"}' where id = '${run}'`);
    expect((await call('GET', `/v1/approvals/${id}`)).body).toMatchObject({
      initiator: null,
      trigger_type: 'schedule',
    });
  });

  it('lists what the caller may decide and has not approved', async () => {
    const mine = await anApproval();
    const ofAdmins = await anApproval(`approvers = '{}'`);
    await anApproval(`status = 'rejected', decided_at = now()`);
    const half = await anApproval(`approvers = '{finance}', required = 2`);
    expect((await listed('mine=true', bob)).sort()).toEqual([mine.id, half.id].sort());
    expect(await listed('mine=true')).toEqual([ofAdmins.id]);
    const decided = await call('POST', `/v1/runs/${half.run}/approvals/${half.id}`, {
      key: bob,
      body: { decision: 'approve' },
    });
    expect(decided).toMatchObject({ status: 200, body: { status: 'open', can_decide: true } });
    expect(await listed('mine=true', bob)).toEqual([mine.id]);
    expect(await listed('mine=true&status=approved', bob)).toEqual([]);
    expect(await listed('mine=false', bob)).toHaveLength(4);
  });

  it('is filtered by agent and deadline', async () => {
    const soon = await anApproval(undefined, 1);
    const late = await anApproval(undefined, 48, agents[1]);
    expect(await listed(`agent=${agents[1]}`)).toEqual([late.id]);
    expect(await listed(`agent=${agents[0]}&status=open`)).toEqual([soon.id]);
    const inADay = new Date(Date.now() + 24 * HOUR).toISOString();
    expect(await listed(`expires_before=${inADay}`)).toEqual([soon.id]);
    expect(await listed(`expires_before=${soon.expiresAt}`)).toEqual([]);
    for (const query of ['agent=greeter', 'expires_before=soon', 'sort=status', 'mine=yes']) {
      expect((await call('GET', `/v1/approvals?${query}`)).body.code).toBe('invalid_request');
    }
  });

  it('is sorted by deadline, page by page, also where deadlines are equal', async () => {
    const [one, two, three] = [await anApproval(undefined, 3), await anApproval(undefined, 1), await anApproval()];
    await api.execute(`update approvals set expires_at = '${one.expiresAt}' where id = '${three.id}'`);
    const inOrder = [two.id, one.id, three.id];
    for (const [order, expected] of [
      ['asc', inOrder],
      ['desc', inOrder.toReversed()],
    ] as const) {
      const seen: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const query = `status=open&sort=expires_at&order=${order}&limit=1${cursor && `&cursor=${cursor}`}`;
        const { body } = await call('GET', `/v1/approvals?${query}`);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
      }
      expect(seen).toEqual(expected);
    }
    const { body } = await call('GET', '/v1/approvals?sort=expires_at&limit=1');
    const elsewhere = await call('GET', `/v1/approvals?limit=1&cursor=${body.next_cursor}`);
    expect(elsewhere.body.code).toBe('cursor_mismatch');
  });

  it('says by which channel a decision came', async () => {
    const viaOf = async (headers: Record<string, string>) => {
      const { id, run } = await anApproval();
      const body = { decision: 'approve' };
      const { body: decided } = await call('POST', `/v1/runs/${run}/approvals/${id}`, { key: bob, body, headers });
      return decided.decisions[0].via;
    };
    expect(await viaOf({})).toBe('api');
    expect(await viaOf({ 'User-Agent': 'aas-cli/0.1.0' })).toBe('cli');
    const earlier = await anApproval(
      `decisions = '[{"by": "x@example.com", "decision": "approve", "comment": null, "at": "2026-01-31T08:00:00.000Z"}]'`,
    );
    expect((await call('GET', `/v1/approvals/${earlier.id}`)).body.decisions[0].via).toBe('api');
  });
});
