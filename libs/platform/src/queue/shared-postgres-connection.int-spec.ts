import { SessionClosingServer } from '../database/testing/session-closing-server.js';
import { SharedPostgresConnection } from './pausable-postgres-backend.js';

// In the service, an error event without a listener would end the process. Here, it would fail the test.
describe('the session that waits for jobs', () => {
  let server: SessionClosingServer;

  beforeEach(async () => {
    server = await SessionClosingServer.start();
  });
  afterEach(() => server.stop());

  it('fails its statements, and not the process, when the server ends it as soon as it has begun', async () => {
    const connection = new SharedPostgresConnection({ connectionString: server.url });
    const client = await connection.getListenClient();
    await expect(client.query('select 1')).rejects.toThrow();
    await connection.end();
  });
});
