import { parseDefinition } from './index.js';

/** One entry of the table is enough to show each way of finding a feature. The table itself is meant to shrink. */
describe('features that this release does not execute', () => {
  const places = (text: string) => {
    const parsed = parseDefinition(text, 'yaml');
    return parsed.ok
      ? []
      : parsed.errors
          .filter(({ detail }) => detail.endsWith('is not supported by this release.'))
          .map(({ pointer }) => pointer);
  };

  it('are reported where they are used, also deep inside the plan', () => {
    const text = `
name: x
tools: [{ name: t, type: http, base_url: https://a.example, operations: [{ name: g, method: GET, path: / }] }]
steps:
  - id: route
    switch: [{ when: "true", steps: [{ id: a, retrieve: { base: b, query: q } }] }]`;
    expect(places(text)).toEqual(['/steps/0/switch/0/steps/0/retrieve']);
    expect(parseDefinition(text, 'yaml', { allowUnsupported: true }).ok).toBe(true);
  });

  it('leave plain plans alone', () => {
    const text = `
name: x
labels: { team: a }
input: { type: object }
limits: { max_steps: 5, max_duration: 1m }
tools: [{ name: t, type: http, base_url: https://a.example, operations: [{ name: g, method: GET, path: / }] }]
steps:
  - { id: a, tool: t.g, if: "true" }
  - { id: b, let: { x: 1 } }
  - { id: c, switch: [{ when: "false", steps: [{ id: d, fail: { message: no } }] }, { steps: [{ id: e, assert: "true" }] }] }
  - { id: f, output: "\${{ steps.b.output }}" }`;
    expect(parseDefinition(text, 'yaml')).toMatchObject({ ok: true });
  });
});
