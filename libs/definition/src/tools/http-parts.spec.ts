import type { JsonObject } from '@app/kernel';
import { compareDefinitions } from '../diff/compare-definitions.js';
import { parseDefinition } from '../parse-definition.js';
import { LIMITS } from '../testing/limits.js';

const REQUEST = { type: 'object', properties: { id: { type: 'string' }, host: { type: 'string' } } };

const definition = (operation: JsonObject, tool: JsonObject = {}): JsonObject => ({
  name: 'x',
  tools: [
    {
      name: 't',
      type: 'http',
      base_url: 'https://a.example',
      operations: [{ name: 'op', method: 'POST', path: '/x', request: REQUEST, ...operation }],
      ...tool,
    },
  ],
  steps: [{ id: 's', tool: 't.op', with: { id: 'a', host: 'b' } }],
});

const problems = (operation: JsonObject, tool: JsonObject = {}) => {
  const parsed = parseDefinition(JSON.stringify(definition(operation, tool)), 'json', LIMITS);
  const pointers = (places: readonly { pointer: string }[]): string[] => places.map(({ pointer }) => pointer);
  return parsed.ok
    ? { errors: [], warnings: pointers(parsed.warnings) }
    : { errors: pointers(parsed.errors), warnings: [] };
};

describe('the request of an operation', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['an empty path', { path: '' }, {}],
    ['templates everywhere', { path: '/o/${{ request.id }}/{host}', query: { key: '${{ secrets.KEY }}', n: 1 }, headers: { 'X-Run': '${{ run.id }}' }, body: 'form', content: { a: '${{ request.id }}' }, response: 'json', ok_status: [404] }, {}],
    ['a base URL of secrets only', {}, { base_url: '${{ secrets.BASE }}' }],
    ['a base URL of data with allowed hosts', {}, { base_url: 'https://${{ request.host }}/x', allowed_hosts: ['*.example.com', '10.0.0.1:80'] }],
    ['a body of a DELETE', { method: 'DELETE', body: 'json', content: [1] }, {}],
    ['no body', { body: 'none' }, {}],
    ['credentials of an OAuth client', {}, { auth: { type: 'oauth2_client_credentials', token_url: 'https://id.example/token', client_id: 'a', client_secret: '${{ secrets.S }}', scopes: ['a'], parameters: { audience: 'x' } } }],
    ['an AWS signature', {}, { auth: { type: 'aws_sigv4', access_key_id: '${{ secrets.A }}', secret_access_key: '${{ secrets.S }}', region: 'eu-central-1', service: 's3' } }],
    ['a key in the query', {}, { auth: { type: 'query', name: 'key', value: '${{ secrets.S }}' } }],
  ])('can have %s', (_, operation, tool) => expect(problems(operation, tool).errors).toEqual([])
  ); // prettier-ignore

  it.each<[string, JsonObject, JsonObject, string]>([
    ['data in the base URL without allowed hosts', {}, { base_url: 'https://${{ input.host }}' }, '/tools/0/base_url'],
    ['data in the path of the base URL', {}, { base_url: 'https://a.example/${{ run.id }}' }, '/tools/0/base_url'],
    ['every host', {}, { allowed_hosts: ['*'] }, '/tools/0/allowed_hosts/0'],
    ['a top-level domain', {}, { allowed_hosts: ['a.example', '*.net'] }, '/tools/0/allowed_hosts/1'],
    ['a body of a GET', { method: 'GET', body: 'json' }, {}, '/tools/0/operations/0/body'],
    ['content of a GET', { method: 'GET', content: { a: 1 } }, {}, '/tools/0/operations/0/content'],
    ['content that is not sent', { body: 'none', content: 1 }, {}, '/tools/0/operations/0/content'],
    ['a file without content', { body: 'binary' }, {}, '/tools/0/operations/0/body'],
    ['another encoding', { body: 'xml' }, {}, '/tools/0/operations/0/body'],
    ['another form of response', { response: 'yaml' }, {}, '/tools/0/operations/0/response'],
    ['a status that is none', { ok_status: [99] }, {}, '/tools/0/operations/0/ok_status/0'],
    ['a query beside a template in the path', { path: '/x?a=${{ request.id }}' }, {}, '/tools/0/operations/0/path'],
    ['a path that does not begin with a slash', { path: '${{ request.id }}' }, {}, '/tools/0/operations/0/path'],
    ['an unknown name', { query: { a: '${{ steps.s.output }}' } }, {}, '/tools/0/operations/0/query/a'],
    ['a misspelled property', { content: { a: '${{ request.idd }}' } }, {}, '/tools/0/operations/0/content/a'],
    ['data that chooses where credentials go', {}, { auth: { type: 'oauth2_client_credentials', token_url: 'https://${{ request.host }}', client_id: 'a', client_secret: '${{ secrets.S }}' } }, '/tools/0/auth/token_url'],
    ['a secret in a prompt-like place', { simulate: '${{ secrets.S }}' }, {}, '/tools/0/operations/0/simulate'],
  ])('cannot have %s', (_, operation, tool, pointer) => expect(problems(operation, tool).errors).toContain(pointer)
  ); // prettier-ignore

  it('warns if a constant address is none of the allowed hosts, and about credentials in plain text', () => {
    expect(problems({}, { allowed_hosts: ['b.example'] }).warnings).toEqual(['/tools/0/allowed_hosts']);
    expect(problems({ query: { api_key: 'abc' }, headers: { 'X-Api-Key': 'abc' } }).warnings).toHaveLength(2);
  });

  const kinds = (before: [JsonObject, JsonObject?], after: [JsonObject, JsonObject?]) =>
    compareDefinitions(definition(...before), definition(...after)).capabilityChanges.map(
      ({ severity, kind, pointer }) => `${severity} ${kind} ${pointer}`,
    );

  it.each<[string, [JsonObject, JsonObject?], [JsonObject, JsonObject?], string[]]>([
    ['a computed request', [{}], [{ query: { a: '1' } }], ['warning tool_request_gained /tools/0/operations/0']],
    ['another request', [{ query: { a: '1' } }], [{ query: { a: '2' } }], ['warning tool_request_changed /tools/0/operations/0']],
    ['a request that is no longer computed', [{ query: { a: '1' } }], [{}], ['info tool_request_lost /tools/0/operations/0']],
    ['a list of hosts', [{}], [{}, { allowed_hosts: ['a.example'] }], ['warning tool_hosts_gained /tools/0/allowed_hosts']],
    ['no list of hosts', [{}, { allowed_hosts: ['a.example'] }], [{}], ['critical tool_hosts_lost /tools/0']],
    ['more hosts', [{}, { allowed_hosts: ['a.example'] }], [{}, { allowed_hosts: ['a.example', 'b.example'] }], ['critical tool_hosts_changed /tools/0/allowed_hosts']],
    ['fewer hosts', [{}, { allowed_hosts: ['*.a.example', 'a.example'] }], [{}, { allowed_hosts: ['b.a.example', 'a.example:443'] }], ['warning tool_hosts_changed /tools/0/allowed_hosts']],
  ])('is compared: %s', (_, before, after, expected) => expect(kinds(before, after)).toEqual(expected)
  ); // prettier-ignore

  it('is compared with its recipients', () => {
    const mail = (...allowed: string[]): JsonObject => ({
      name: 'x',
      tools: [{ name: 'm', type: 'email', to: '${{ request.to }}', allowed_recipients: allowed }],
      steps: [{ id: 's', output: 1 }],
    });
    const changes = (before: JsonObject, after: JsonObject) =>
      compareDefinitions(before, after).capabilityChanges.map(({ severity, kind }) => `${severity} ${kind}`);
    expect(changes(mail('*@a.example'), mail('b@a.example'))).toEqual(['warning tool_target_changed']);
    expect(changes(mail('b@a.example'), mail('b@a.example', '*'))).toEqual(['critical tool_target_changed']);
  });
});
