import { randomBytes } from 'node:crypto';
import { apiConfig, loadServiceSettings } from '@app/installation/settings';
import { addressConfig } from '@app/platform/startup';
import { assertOauthAddress, AUTHOR, resourceAt, WORK } from './mcp-resources.js';

function start(env: Record<string, string>): () => void {
  const config = loadServiceSettings({
    DATABASE_URL: 'postgres://localhost/x',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...env,
  });
  return () => assertOauthAddress(config.get(apiConfig), config.get(addressConfig));
}

describe('the address of an installation with OAuth', () => {
  it.each<Record<string, string>>([
    {},
    { PUBLIC_URL: 'http://agents.example' },
    { PUBLIC_URL: 'https://agents.example/aas' },
  ])('cannot be %j', (env) => {
    expect(start({ ...env, MCP_OAUTH: 'on' })).toThrow(/PUBLIC_URL must be an https address without a path/);
    expect(start(env)).not.toThrow();
  });

  it('is https', () => {
    expect(start({ PUBLIC_URL: 'https://agents.example/', MCP_OAUTH: 'on' })).not.toThrow();
  });
});

it('a resource is the exact address of an MCP server', () => {
  const url = 'https://agents.example';
  expect(resourceAt(url, `${url}/v1/mcp`)).toBe(WORK);
  expect(resourceAt(url, `${url}/v1/mcp/author`)).toBe(AUTHOR);
  for (const other of [`${url}/v1/mcp/`, `${url}/v1`, url, 'https://other.example/v1/mcp', undefined, ['x']])
    expect(resourceAt(url, other)).toBeUndefined();
});
