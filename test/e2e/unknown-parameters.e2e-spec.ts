import { newId } from '@app/kernel';
import { GREETER } from '../fixtures/definitions.js';
import type { ApiAnswer, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

describe('an unknown query parameter', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
  });

  afterAll(() => api.close());

  /**
   * Returns the path with valid ids that do not exist. Every operation must reject the request before it looks up the
   * ids.
   */
  const filled = (template: string): string =>
    template
      .replace('/agents/{id}', `/agents/${newId('agent')}`)
      .replace('/runs/{id}', `/runs/${newId('run')}`)
      .replace('/evaluations/{id}', `/evaluations/${newId('evaluation')}`)
      .replace('/knowledge-bases/{id}', `/knowledge-bases/${newId('knowledgeBase')}`)
      .replace('/webhook-endpoints/{id}', `/webhook-endpoints/${newId('webhookEndpoint')}`)
      .replace('/api-keys/{id}', `/api-keys/${newId('apiKey')}`)
      .replace('/members/{id}', `/members/${newId('member')}`)
      .replace('{source_id}', newId('source'))
      .replace('{sync_id}', newId('sync'))
      .replace('{document_id}', newId('document'))
      .replace('{delivery_id}', newId('delivery'))
      .replace('{approval_id}', newId('approval'))
      .replace(/\{(n|a|b)\}/g, '1')
      .replace(/\{\w+\}/g, 'name');

  const answerOf = ({ status, body }: ApiAnswer): unknown[] => [
    status,
    body.code,
    body.errors?.[0]?.pointer,
    body.errors?.[0]?.parameter,
  ];

  it('is refused by every operation that needs a key', async () => {
    const { body: document } = await api.call('GET', '/v1/openapi.json');
    const operations = Object.entries<Record<string, { security?: object[] }>>(document.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(([, { security }]) => security?.some((each) => 'apiKey' in each))
          .map(([method]) => [method.toUpperCase(), path] as const),
    );
    expect(operations.length).toBeGreaterThan(70);
    const wrong: unknown[] = [];
    for (const [method, path] of operations) {
      const answer = answerOf(await api.call(method, `${filled(path)}?zzz=1`, { key: tenant.adminKey }));
      if (answer.join() !== '400,invalid_request,/query/zzz,zzz') wrong.push([method, path, ...answer]);
    }
    expect(wrong).toEqual([]);
    expect((await api.call('GET', '/v1/workspace', { key: tenant.adminKey })).body.status).toBe('active');
  });

  it('is ignored where machines that the service does not know add parameters', async () => {
    for (const path of ['/healthz', '/metrics', '/v1/openapi.json', '/v1/schemas/agent.v1.json'])
      expect([path, (await api.call('GET', `${path}?zzz=1`)).status]).toEqual([path, 200]);
    const headers = { 'Content-Type': 'application/yaml' };
    const { body: agent } = await api.call('POST', '/v1/agents', { key: tenant.adminKey, body: GREETER, headers });
    const trigger = (query: string): Promise<ApiAnswer> =>
      api.call('POST', `/v1/agents/${agent.id}/trigger?${query}`, {
        body: { name: 'Ada' },
        headers: { 'X-Service-Webhook-Secret': agent.webhook_secret },
      });
    expect((await trigger('utm_source=crm&zzz=1')).status).toBe(202);
    expect(answerOf(await trigger('trigger=none'))).toEqual([400, 'invalid_request', '/query/trigger', 'trigger']);
    const state = 'A'.repeat(43);
    const callback = await api.call('GET', `/v1/oauth/callback?state=${state}&code=1&session_state=x&zzz=1`);
    expect(answerOf(callback)).toEqual([400, 'invalid_request', '/query/state', 'state']);
  });

  it('does not begin the operation', async () => {
    const path = '/v1/workspace/emergency-stop?resaon=fire';
    expect((await api.call('POST', path, { key: tenant.adminKey })).status).toBe(400);
    expect((await api.call('GET', '/v1/workspace', { key: tenant.adminKey })).body.status).toBe('active');
  });
});
