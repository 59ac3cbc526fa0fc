import { DomainError, type JsonObject } from '@app/kernel';
import { CONNECTOR_KINDS } from './registry.js';

const SECRET = '${{ secrets.KEY }}';
const STORE = 'Store the value with `PUT /v1/secrets/NAME`, and write `${{ secrets.NAME }}` as';

describe('the configuration of a source', () => {
  const refusal = (connector: keyof typeof CONNECTOR_KINDS, config: JsonObject): unknown => {
    try {
      return CONNECTOR_KINDS[connector].readConfig(config, '/config');
    } catch (error) {
      return error instanceof DomainError ? error.errors : error;
    }
  };
  const api = (auth?: JsonObject): JsonObject => ({
    base_url: 'https://api.example.com',
    key_pointer: '/id',
    text_pointer: '/text',
    ...(auth && { auth }),
  });

  it.each(Object.entries(CONNECTOR_KINDS))('has a title for each field: %s', (_, { schema }) => {
    const fields = (at: unknown): [string, { title?: string }][] =>
      Object.entries((at as { properties?: object }).properties ?? {}).flatMap(([name, field]) => [
        [name, field as { title?: string }],
        ...fields(field),
      ]);
    expect(fields(schema).length).toBeGreaterThan(0);
    expect(fields(schema).filter(([, { title }]) => title === undefined)).toEqual([]);
  });

  it('requires the type of an http_api credential, which says how the secret is sent', () => {
    expect(refusal('http_api', api())).toMatchObject({ auth: { type: 'none' } });
    expect(refusal('http_api', api({ type: 'bearer', secret: SECRET }))).toMatchObject({ auth: { type: 'bearer' } });
    const missing = {
      pointer: '/config/auth/type',
      detail: 'type is missing.',
      suggestion: 'Set it to one of none, bearer, header, query.',
    };
    expect(refusal('http_api', api({ secret: SECRET }))).toEqual([missing]);
    expect(refusal('http_api', api({}))).toEqual([missing]);
    expect(refusal('http_api', api({ type: 'none', secret: SECRET }))).toMatchObject([
      { pointer: '/config/auth/type' },
    ]);
  });

  it.each([
    ['http_api', api({ type: 'bearer', token: 'abc' })],
    ['git', { url: 'https://git.example.com/x', auth: { token: 'abc' } }],
  ] as const)('names the field that a token must be in: %s', (connector, config) => {
    expect(refusal(connector, config)).toContainEqual({
      pointer: '/config/auth/token',
      detail: 'There is no field "token".',
      suggestion: `${STORE} \`secret\`.`,
    });
  });

  it('rejects a credential in plain text without repeating it', () => {
    const dsn = 'postgres://ann:hunter2@db.example.com/shop';
    const refused = refusal('postgres', { dsn, query: 'select 1', key_column: 'id' });
    expect(refused).toEqual([
      {
        pointer: '/config/dsn',
        detail: 'dsn must refer to a secret. A credential in plain text is not accepted.',
        suggestion: `${STORE} \`dsn\`.`,
      },
    ]);
    const git = { url: 'https://git.example.com/x', auth: { secret: 'hunter2' } };
    expect(refusal('git', git)).toMatchObject([{ pointer: '/config/auth/secret', suggestion: `${STORE} \`secret\`.` }]);
    expect(JSON.stringify([refused, refusal('git', git)])).not.toContain('hunter2');
  });
});
