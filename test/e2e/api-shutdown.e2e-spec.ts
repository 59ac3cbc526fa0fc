import { once } from 'node:events';
import { connect } from 'node:net';

import { type Clock, systemClock } from '@app/kernel';
import { shutDown } from '../../apps/api/src/shutdown.js';
import { GREETER } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import { eventually } from '../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

/** A clock on which no deadline passes. With this clock, a shutdown that waits for a connection never ends. */
const withoutDeadline: Clock = {
  now: () => systemClock.now(),
  monotonicMillis: () => 0,
  sleep: (millis, signal) => systemClock.sleep(millis, signal),
};

describe('the shutdown of the api', () => {
  let database: TestDatabase;
  let api: TestApi;

  beforeEach(async () => {
    database = await createTestDatabase();
    api = await startApi({ databaseUrl: database.url });
  });

  afterEach(async () => {
    await database.drop();
  });

  it('finishes the request in flight, database and all, while new connections are refused', async () => {
    const { adminKey } = await api.newTenant();
    const socket = connect(api.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write(
      `POST /v1/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: application/yaml\r\n` +
        `Content-Length: ${Buffer.byteLength(GREETER)}\r\nExpect: 100-continue\r\n\r\n${GREETER.slice(0, 10)}`,
    );
    await eventually(() => expect(answer).toBe('HTTP/1.1 100 Continue\r\n\r\n'));
    const down = shutDown(api.app, systemClock);
    await expect(fetch(`${api.url}/healthz`)).rejects.toThrow();
    socket.write(GREETER.slice(10));
    await once(socket, 'close');
    await down;
    expect(answer).toMatch(/\r\n\r\nHTTP\/1\.1 201 /);
  });

  it('answers a request that waits for the end of a run with the run as it is', async () => {
    const { adminKey: key } = await api.newTenant();
    const headers = { 'Content-Type': 'application/yaml' };
    const { body: agent } = await api.call('POST', '/v1/agents', { key, headers, body: GREETER });
    const path = `/v1/agents/${agent.id}/runs`;
    const started = api.call('POST', path, { key, headers: { Prefer: 'wait=60' }, body: { input: { name: 'Ada' } } });
    await eventually(async () => expect((await api.call('GET', '/v1/runs', { key })).body.data).toHaveLength(1));
    await shutDown(api.app, withoutDeadline);
    expect(await started).toMatchObject({ status: 202, body: { status: 'queued' } });
  });

  it('does not wait for connections that were opened and not used yet', async () => {
    const opened = once(api.app.getHttpServer(), 'connection');
    const closed = once(connect(api.port, '127.0.0.1'), 'close');
    await opened;
    await shutDown(api.app, withoutDeadline);
    await closed;
  });

  it('does not wait for connections that are merely kept open', async () => {
    expect((await api.call('GET', '/healthz')).headers.get('connection')).toBe('keep-alive');
    await expect(shutDown(api.app, withoutDeadline)).resolves.toBeUndefined();
  });
});
