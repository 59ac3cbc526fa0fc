import { compileDefinition } from '../compile/compile-definition.js';
import { hostOfCall } from './call-host.js';

const hostOf = (base: string, request = {}): string | null => {
  const operations = [{ name: 'op', method: 'GET', path: '/x' }];
  const tools = [{ name: 't', type: 'http', base_url: base, allowed_hosts: ['a.example'], operations }];
  const { tools: compiled, operations: all } = compileDefinition({
    name: 'x',
    tools,
    steps: [{ id: 's', tool: 't.op' }],
  });
  const operation = all.get('t.op');
  if (!operation) throw new Error('the test definition has no operation');
  return hostOfCall(compiled.get('t'), operation, { request });
};

describe('the host that policies see', () => {
  it.each<[string, object, string | null]>([
    ['https://A.example/x', {}, 'a.example'],
    ['https://a.example:8443', {}, 'a.example:8443'],
    ['http://a.example:80', {}, 'a.example'],
    ['https://${{ request.h }}.example', { h: 'b' }, 'b.example'],
    ['${{ request.base }}', { base: 'https://c.example:1/x' }, 'c.example:1'],
    ['${{ request.base }}', { base: 'ftp://c.example' }, null],
    ['${{ request.base }}', { base: 7 }, null],
    ['${{ request.base }}', {}, null],
    ['https://a.example/${{ secrets.PATH }}', {}, 'a.example'],
    ['https://${{ request.h }}/${{ secrets.PATH }}', { h: 'd.example' }, 'd.example'],
    ['https://a.example${{ secrets.PATH }}', {}, null],
    ['https://${{ secrets.HOST }}/x', {}, null],
    ['${{ secrets.BASE }}', {}, null],
  ])('of %s with %j is %j', (base, request, host) => expect(hostOf(base, request)).toBe(host));
});
