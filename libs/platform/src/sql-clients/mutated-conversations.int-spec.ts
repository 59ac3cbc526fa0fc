import { type Conversation, mutated, record, replay } from '../../../../test/support/hostile/conversation.js';
import { startCases } from '../../../../test/support/hostile/hostile-cases.js';
import { SqlScene } from '../../../../test/support/hostile/sql-scene.js';
import { mutationSeeds } from '../../../../test/support/hostile/seeds.js';
import { MYSQL_SERVERS, type MysqlServer } from '../../../../test/support/mysql-server.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { TableReadError } from './index.js';

/** The message AuthenticationOk, with which Postgres accepts a login. */
const AUTHENTICATED = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0]);
const SEEDS = mutationSeeds(24);

/**
 * Replaces the SCRAM login in a conversation by a login without a password. A SCRAM login cannot be replayed, because
 * it depends on a random number of the client.
 */
function withoutPassword(conversation: Conversation): Conversation {
  const [first] = conversation;
  const end = conversation.findIndex(({ bytes }) => bytes.indexOf(AUTHENTICATED) >= 0);
  const last = conversation[end];
  if (!first || !last || end === 0) return conversation;
  const bytes = last.bytes.subarray(last.bytes.indexOf(AUTHENTICATED));
  const saved = last.after - first.after;
  return [{ ...first, bytes }, ...conversation.slice(end + 1).map((turn) => ({ ...turn, after: turn.after - saved }))];
}

/** Replays the messages of a real server, mutated at positions that a seed determines. */
describe.each(['postgres', 'mysql'] as const)('a mutated conversation with a server of %s', (kind) => {
  let database: TestDatabase;
  let mysql: MysqlServer | undefined;
  let scene: SqlScene;
  let conversations: Conversation[];
  let outcomes: Map<string, Promise<unknown>>;

  beforeAll(async () => {
    database = await createTestDatabase();
    scene = new SqlScene(kind);
    const servers = MYSQL_SERVERS.map(([, start]) => start);
    if (kind === 'mysql') mysql = await servers[0]?.(database.url);
    await mysql?.run('create table if not exists empty (id text)');
    scene.dsn = new URL(mysql?.dsn ?? database.url);
    const recorded = await record(Number(scene.dsn.port || 5_432), async (port) => {
      const dsn = new URL(scene.dsn);
      dsn.port = String(port);
      expect(await scene.readFrom(dsn.href)).toHaveLength(1);
    });
    conversations = recorded.map(withoutPassword);
    const cases = SEEDS.map(
      (seed) => [String(seed), () => scene.failure(replay(mutated(conversations, seed)))] as const,
    );
    outcomes = startCases<unknown>(Object.fromEntries(cases));
  });
  afterAll(async () => {
    await scene.stop();
    await mysql?.stop();
    await database.drop();
  });

  it('gives the rows as it was', async () => {
    expect(await scene.read(replay(conversations))).toHaveLength(1);
  });

  it.each(SEEDS)('ends with rows or an error for people: seed %i', async (seed) => {
    const outcome = await outcomes.get(String(seed));
    const isExpected =
      outcome instanceof TableReadError || /^The server gave \d+ rows\.$/.test((outcome as Error).message);
    expect([isExpected, outcome]).toEqual([true, outcome]);
  });
});
