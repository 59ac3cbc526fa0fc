import { compileDefinition, type HttpCall, type HttpTool } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { buildHttpRequest } from './http-request.js';
import { UnusableRequest } from './unusable-request.js';

function anOperation(operation: JsonObject, tool: JsonObject = {}): { tool: HttpTool; call: HttpCall } {
  const definition = compileDefinition({
    name: 'test',
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: 'https://shop.example/api',
        operations: [{ name: 'op', ...operation }],
        ...tool,
      },
    ],
    steps: [{ id: 'a', tool: 'shop.op', with: {} }],
  });
  const compiled = definition.tools.get('shop');
  const call = definition.operations.get('shop.op')?.http;
  if (compiled?.kind !== 'http' || !call) throw new Error('the test definition has no http operation');
  return { tool: compiled, call };
}

const build = (operation: JsonObject, request: JsonObject, tool: JsonObject = {}) => {
  const compiled = anOperation(operation, tool);
  return buildHttpRequest(compiled.tool, compiled.call, request, { input: { token: 't0ken' } });
};

describe('the request of an http operation', () => {
  it('puts path parameters into the path and the rest of a read into the query', () => {
    const request = build({ method: 'GET', path: '/orders/{id}/lines' }, { id: 'a b/c', page: 2, tag: ['x', 'y'] });
    expect(request).toMatchObject({
      method: 'GET',
      url: 'https://shop.example/api/orders/a%20b%2Fc/lines?page=2&tag=x&tag=y',
      body: null,
    });
  });

  it('does not send an argument with the value null, or an item null of a list', () => {
    const request = build({ method: 'GET', path: '/x' }, { cursor: null, n: 1, l: ['a', null, 'b'], none: [null] });
    expect(request.url).toBe('https://shop.example/api/x?n=1&l=a&l=b');
    const write = build({ method: 'POST', path: '/x' }, { cursor: null, l: [null] });
    expect(write.body).toBe('{"cursor":null,"l":[null]}');
  });

  it('sends the rest of a write as JSON', () => {
    const request = build({ method: 'POST', path: '/orders/{id}' }, { id: 7, amount: 1.5 });
    expect(request).toMatchObject({ url: 'https://shop.example/api/orders/7', body: '{"amount":1.5}' });
    expect(request.headers['content-type']).toBe('application/json');
  });

  it.each([['..'], ['.'], [''], [null]])('refuses %j as a path parameter: it would lead to another path', (id) => {
    expect(() => build({ method: 'GET', path: '/orders/{id}' }, { id })).toThrow(UnusableRequest);
  });

  it('refuses a request without a value for a path parameter', () => {
    expect(() => build({ method: 'GET', path: '/orders/{id}' }, {})).toThrow(/`id` has no value/);
  });

  it('keeps a value that looks like an address inside its place', () => {
    const request = build({ method: 'GET', path: '/orders/{id}' }, { id: '@evil.example/../../?x=1#y' });
    expect(new URL(request.url).hostname).toBe('shop.example');
    expect(new URL(request.url).pathname).toMatch(/^\/api\/orders\/[^/]+$/);
  });

  it('adds the headers and the credentials of the tool', () => {
    const request = build(
      { method: 'GET', path: '/x' },
      {},
      { headers: { 'X-Team': 'blue' }, auth: { type: 'bearer', token: '${{ input.token }}' } },
    );
    expect(request.headers).toMatchObject({ 'x-team': 'blue', authorization: 'Bearer t0ken' });
  });

  it('omits a header of the tool that the operation sets to null', () => {
    const headers = { 'X-Team': '${{ input.?team }}', 'X-Lang': '${{ null }}' };
    const request = build(
      { method: 'GET', path: '/x', headers },
      {},
      { headers: { 'x-team': 'blue', 'x-LANG': 'en' } },
    );
    expect(Object.keys(request.headers)).toEqual(['accept', 'user-agent']);
  });

  it('refuses a base URL of which a part is null', () => {
    const tool = { base_url: 'https://${{ request.shop }}.shop.example', allowed_hosts: ['*.shop.example'] };
    expect(() => build({ method: 'GET', path: '/x' }, { shop: null }, tool)).toThrow(UnusableRequest);
  });
});
