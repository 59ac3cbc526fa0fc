import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LanguageServer } from '../support/language-server.js';
import type { HttpApi } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const EXAMPLES = join(import.meta.dirname, '..', 'fixtures', 'agents');

describe('an editor with the schema of the service', () => {
  let api: HttpApi;
  let server: LanguageServer;

  beforeAll(async () => {
    api = await sharedApi();
    server = await LanguageServer.start(`${api.url}/v1/schemas/agent.v1.json`);
  });

  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  const diagnose = (name: string, text: string) => {
    server.open(`file:///${name}`, text);
    return server.diagnosticsOf(`file:///${name}`);
  };

  it.each(readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml')))(
    'has nothing to say about %s',
    async (name) => {
      expect(await diagnose(name, readFileSync(join(EXAMPLES, name), 'utf8'))).toEqual([]);
    },
  );

  it('marks mistakes at their lines', async () => {
    const text = 'name: x\nstpes: []\nsteps:\n  - id: a\n    wait: { for: soon }\n  - { id: b, output: 1 }\n';
    const lines = (await diagnose('wrong.yaml', text)).map(({ range }) => range.start.line);
    expect(lines).toContain(1);
    expect(lines.every((line) => line === 1 || line === 4 || line === 3)).toBe(true);
  });

  it('offers the keys and values that are allowed there', async () => {
    const offered = async (name: string, text: string, line: number, character: number) => {
      await diagnose(name, text);
      return server.completionsAt(`file:///${name}`, line, character);
    };
    expect(await offered('top.yaml', 'name: x\ntri\n', 1, 3)).toContain('triggers');
    const tool = 'name: x\ntools:\n  - name: shop\n    type: http\n    base_url: https://a.example\n    \n';
    expect(await offered('tool.yaml', tool, 5, 4)).toEqual(expect.arrayContaining(['operations', 'auth']));
    expect(await offered('kind.yaml', 'name: x\ntools:\n  - name: shop\n    type: \n', 3, 10)).toContain('openapi');
  });
});
