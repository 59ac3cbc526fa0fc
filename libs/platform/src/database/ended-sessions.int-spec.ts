import { createDataSource } from './data-source.js';
import { SessionEndingServer } from './testing/session-ending-server.js';

describe('a session that the server ends as soon as it has begun', () => {
  let server: SessionEndingServer;

  beforeEach(async () => {
    server = await SessionEndingServer.start();
  });
  afterEach(() => server.stop());

  // An error that nobody listens for would end the process; here it fails the test.
  it('is a failure of whoever asked for it and of nobody else', async () => {
    const dataSource = createDataSource({ url: server.url, poolSize: 2, applicationName: 'test' });
    await expect(dataSource.initialize()).rejects.toThrow();
  });
});
