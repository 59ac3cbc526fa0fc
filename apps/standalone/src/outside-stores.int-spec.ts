import { freePort } from '../../../test/support/free-port.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { OperatorError } from './operator-error.js';
import { assertStoresAnswer } from './outside-stores.js';

describe('stores that the operator named', () => {
  let database: TestDatabase;
  let unusedPort: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    unusedPort = await freePort();
  });

  afterAll(() => database.drop());

  const refusal = async (env: Parameters<typeof assertStoresAnswer>[0]): Promise<string[]> => {
    const error: unknown = await assertStoresAnswer(env).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OperatorError);
    return (error as OperatorError).message.split('\n');
  };

  it('are not configured, or answer', async () => {
    await assertStoresAnswer({});
    await assertStoresAnswer({ databaseUrl: database.url });
  });

  it.each(['127.0.0.1', 'localhost'])(
    'that do not answer at %s are reported by the names of their variables, a line each',
    async (host) => {
      const lines = await refusal({
        databaseUrl: `postgres://user:hidden@${host}:${unusedPort}/service`,
        redisUrl: `redis://:hidden@${host}:${unusedPort}`,
      });
      expect(lines).toEqual([
        expect.stringMatching(/^DATABASE_URL: .*ECONNREFUSED/),
        expect.stringMatching(/^REDIS_URL: .*ECONNREFUSED/),
      ]);
      expect(lines.join()).not.toContain('hidden');
    },
  );

  it('include the database itself', async () => {
    const databaseUrl = database.url.replace(/\/[^/]+$/, '/nothing_of_that_name');
    const [line, ...others] = await refusal({ databaseUrl });
    expect(line).toMatch(/^DATABASE_URL: .*nothing_of_that_name/);
    expect(others).toEqual([]);
  });
});
