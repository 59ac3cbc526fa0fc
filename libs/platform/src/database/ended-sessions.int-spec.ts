import { createDataSource } from './data-source.js';
import { SessionClosingServer } from './testing/session-closing-server.js';

describe('a session that the server ends as soon as it has begun', () => {
  let server: SessionClosingServer;

  beforeEach(async () => {
    server = await SessionClosingServer.start();
  });
  afterEach(() => server.stop());

  // In the service, an error event without a listener would end the process. In this test, it would fail the test.
  it('fails the caller that asked for it, and not the process', async () => {
    const dataSource = createDataSource({ url: server.url, poolSize: 2, applicationName: 'test' });
    await expect(dataSource.initialize()).rejects.toThrow();
  });
});
