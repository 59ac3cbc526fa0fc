import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

import { freePort } from '../../../test/support/free-port.js';
import { OperatorError } from './operator-error.js';
import { assertMailPort, settleServicePort, settleStopAddress } from './service-port.js';

const HOST = '127.0.0.1';

describe('ports of npm start', () => {
  let other: Server;
  let taken: number;

  beforeAll(async () => {
    other = createServer().listen(0, HOST);
    await once(other, 'listening');
    taken = (other.address() as AddressInfo).port;
  });

  afterAll(async () => {
    other.close();
    await once(other, 'close');
  });

  it('are the configured one, or a free one', async () => {
    const port = await freePort();
    expect(await settleServicePort(HOST, port)).toBe(port);
    expect(await settleServicePort(HOST, 0)).toBeGreaterThan(1_023);
    await assertMailPort({ host: HOST, smtpListenPort: port }, taken);
    await assertMailPort({ host: HOST, smtpListenPort: 0 }, taken);
  });

  it('that another program uses are reported by the names of their variables', async () => {
    const service = settleServicePort(HOST, taken);
    await expect(service).rejects.toThrow(OperatorError);
    await expect(service).rejects.toThrow(`or set PORT, for example PORT=${taken + 1}`);
    const mail = assertMailPort({ host: HOST, smtpListenPort: taken }, 0);
    await expect(mail).rejects.toThrow(OperatorError);
    await expect(mail).rejects.toThrow(`or set SMTP_LISTEN_PORT, for example SMTP_LISTEN_PORT=${taken + 1}`);
  });

  it('of the stop is the next free one, for this machine only, or the configured one', async () => {
    const stopListener = { host: HOST, port: taken };
    const chosen = await settleStopAddress({ stopListener, hasStopPort: false }, [taken - 1, taken + 1]);
    expect(chosen).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(Number(chosen.split(':')[1])).toBeGreaterThan(taken + 1);
    const port = await freePort();
    expect(await settleStopAddress({ stopListener: { host: HOST, port }, hasStopPort: true }, [taken])).toBe(
      `${HOST}:${port}`,
    );
    expect(await settleStopAddress({ stopListener: null, hasStopPort: true }, [])).toBe('off');
    const other = settleStopAddress({ stopListener, hasStopPort: true }, []);
    await expect(other).rejects.toThrow('or set STOP_PORT');
    await expect(settleStopAddress({ stopListener, hasStopPort: true }, [taken])).rejects.toThrow(OperatorError);
  });

  it('are not one for both', async () => {
    const port = await freePort();
    const both = assertMailPort({ host: HOST, smtpListenPort: port }, port);
    await expect(both).rejects.toThrow(OperatorError);
  });
});
