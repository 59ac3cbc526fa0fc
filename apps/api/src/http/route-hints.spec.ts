import { routeHint } from './route-hints.js';

const ROUTES = [
  ['GET', '/v1/agents'],
  ['POST', '/v1/agents'],
  ['GET', '/v1/agents/:id'],
  ['GET', '/v1/agents/:id/versions'],
  ['POST', '/v1/agents/:id/versions'],
  ['GET', '/v1/agents/:id/versions/:n'],
  ['POST', '/v1/agents/:id/runs'],
  ['GET', '/v1/runs'],
  ['GET', '/v1/runs/:id'],
  ['POST', '/v1/runs/:id/cancel'],
  ['GET', '/v1/knowledge-bases'],
  ['PATCH', '/v1/knowledge-bases/:id'],
  ['PUT', '/v1/knowledge-bases/:id/access'],
  ['GET', '/v1/secrets'],
  ['PUT', '/v1/secrets/:name'],
].map(([method = '', path = '']) => ({ method, path }));

const ALL = 'GET /v1/openapi.json lists all operations.';

describe('the hint for a request that no route takes', () => {
  it.each([
    ['GET', '/agents', 'Paths of the API begin with /v1. Use GET /v1/agents.'],
    ['GET', '/api/v1/agents/agt_1', 'Paths of the API begin with /v1. Use GET /v1/agents/agt_1.'],
    ['GET', '/v1/v1/agents', 'Paths of the API begin with /v1. Use GET /v1/agents.'],
    ['POST', '/runs', 'Paths of the API begin with /v1. Use POST /v1/agents/{id}/runs.'],
    ['POST', '/v1/runs', 'Use POST /v1/agents/{id}/runs.'],
    ['GET', '/v1/versions', 'Use GET /v1/agents/{id}/versions.'],
    ['GET', '/v1/versions/3', 'Use GET /v1/agents/{id}/versions/{n}.'],
    ['PATCH', '/v1/agents/agt_1', expect.stringContaining('POST /v1/agents/{id}/versions, then promote it')],
    ['DELETE', '/v1/runs/run_1', expect.stringContaining('POST /v1/runs/{id}/cancel')],
    ['PUT', '/v1/knowledge-bases/kb_1', 'Use PATCH /v1/knowledge-bases/{id}.'],
    ['POST', '/v1/knowledge-bases/kb_1/access', 'Use PUT /v1/knowledge-bases/{id}/access.'],
    ['POST', '/v1/secrets', 'To store a secret, use PUT /v1/secrets/{name}.'],
    ['GET', '/v1/agent', 'Did you mean GET /v1/agents?'],
    ['GET', '/v1/knowledge_bases', 'Did you mean GET /v1/knowledge-bases?'],
    ['POST', '/v1/agent/agt_1/run', 'Did you mean POST /v1/agents/{id}/runs?'],
    ['GET', '/', ALL],
    ['GET', '/v1', ALL],
    ['GET', '/wp-login.php', ALL],
    ['DELETE', '/v1/me', ALL],
  ])('%s %s', (method, path, hint) => {
    expect(routeHint(ROUTES, method, path)).toEqual(hint);
  });
});
