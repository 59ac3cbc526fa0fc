import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject, systemClock } from '@app/kernel';
import { EgressClient } from '@app/platform/egress';
import { DocumentError } from '@app/platform/extraction';
import { type Connector, SourceError, type SourceVisit } from '../contract/connector.js';
import type { ItemReading, Reason, SkippedItem, SourceItem } from '../contract/items.js';
import { CONNECTOR_KINDS } from '../registry.js';
import { RedactedConnector } from './redacted-connector.js';

const SECRET = 's3cr3t-of-the-source';
const PROVIDER = {} as Parameters<SourceVisit['tokens']['accessToken']>[0];
/** A credential that belongs to no source, for example in a manual. */
const FOREIGN = 'Bearer abcdef0123456789abcdef';

describe('RedactedConnector', () => {
  let server: Server;
  let egress: EgressClient;
  let answer: (request: IncomingMessage) => { status: number; body: unknown };

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { status, body } = answer(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    egress = new EgressClient({ allow: ['127.0.0.1/32'], trustedOrigins: [] });
  });
  afterAll(async () => {
    await egress.onApplicationShutdown();
    server.close();
    await once(server, 'close');
  });

  const read = async (connector: Connector, config: JsonObject = {}) => {
    const skipped: SkippedItem[] = [];
    const flaws: Reason[] = [];
    const readings: ({ key: string } & (ItemReading | { error: unknown }))[] = [];
    const visit: SourceVisit = {
      config,
      checkpoint: null,
      signal: new AbortController().signal,
      pages: {} as SourceVisit['pages'],
      tokens: {
        accessToken: () => Promise.resolve('first-access-token'),
        renewToken: () => Promise.resolve('second-access-token'),
        rejectRevoked: () => Promise.reject(new Error('not revoked')),
      },
      extract: ({ bytes }) =>
        Promise.resolve({ title: null, text: Buffer.from(bytes).toString(), links: [], canonical: null, robots: [] }),
      reportIncomplete: (reason) => flaws.push(reason),
    };
    for await (const batch of connector.enumerate(visit)) {
      skipped.push(...(batch.skipped ?? []));
      for (const item of batch.items)
        readings.push({
          key: item.key,
          ...(await item.readItem(undefined).catch((error: unknown) => ({ error }))),
        });
    }
    return { skipped, flaws, readings };
  };

  /** Yields one batch and then fails. */
  const yields = (
    make: (visit: SourceVisit) => Promise<{ items?: SourceItem[]; skipped?: SkippedItem[] }>,
  ): Connector => ({
    parallelism: 3,
    isAuthoritative: true,
    async *enumerate(visit) {
      yield { items: [], ...(await make(visit)) };
    },
  });

  it('removes the credential that an HTTP API repeats, in each encoding, from its documents', async () => {
    answer = ({ headers }) => {
      const sent = String(headers.authorization);
      const [base64, hex] = [Buffer.from(sent).toString('base64'), Buffer.from(sent).toString('hex')];
      return { status: 200, body: [{ id: `of ${sent}`, name: sent, text: `${sent} ${base64} ${hex} ${FOREIGN}` }] };
    };
    const config = CONNECTOR_KINDS.http_api.readConfig(
      {
        base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        auth: { type: 'bearer', secret: '${{ secrets.KEY }}' },
        key_pointer: '/id',
        title_pointer: '/name',
        text_pointer: '/text',
      },
      '',
    );
    const connector = CONNECTOR_KINDS.http_api.open({ egress, clock: systemClock });
    const withSecret = { ...config, auth: { ...(config.auth as JsonObject), secret: SECRET } };
    const { readings } = await read(new RedactedConnector(connector, [SECRET]), withSecret);
    expect(readings).toMatchObject([
      {
        key: 'of Bearer [redacted]',
        document: { key: 'of Bearer [redacted]', title: 'Bearer [redacted]' },
      },
    ]);
    const [reading] = readings;
    const text = reading && 'document' in reading ? reading.document.text : '';
    expect(text).toContain(FOREIGN);
    for (const encoding of ['utf8', 'base64', 'hex'] as const)
      expect(text).not.toContain(Buffer.from(SECRET).toString(encoding).slice(4, -4));
  });

  it('removes it from the reasons of failures, skipped items and incomplete reads', async () => {
    const failing = (key: string, error: Error): SourceItem => ({ key, readItem: () => Promise.reject(error) });
    const connector = new RedactedConnector(
      yields((visit) => {
        visit.reportIncomplete({ code: 'too_many', message: `more than ${SECRET}` });
        return Promise.resolve({
          items: [
            failing('a', new DocumentError('unreadable', `no ${SECRET}`)),
            {
              key: 'b',
              readItem: () => Promise.resolve({ kind: 'absent', failure: { code: 'gone', message: SECRET } }),
            },
          ],
          skipped: [{ key: `/${SECRET}`, code: 'link', message: SECRET }],
        });
      }),
      [SECRET],
    );
    expect(connector).toMatchObject({ parallelism: 3, isAuthoritative: true });
    const { readings, skipped, flaws } = await read(connector);
    expect(readings[0]).toMatchObject({
      error: { name: 'DocumentError', code: 'unreadable', message: 'no [redacted]' },
    });
    expect(readings[1]).toMatchObject({ failure: { code: 'gone', message: '[redacted]' } });
    expect(skipped).toEqual([{ key: '/[redacted]', code: 'link', message: '[redacted]' }]);
    expect(flaws).toEqual([{ code: 'too_many', message: 'more than [redacted]' }]);
  });

  it('removes a password of a connection string and access tokens from the error of a sync', async () => {
    const connector = yields(async ({ tokens }) => {
      const token = await tokens.accessToken(PROVIDER);
      const renewed = await tokens.renewToken(PROVIDER, token);
      throw new SourceError('bad_answer', `${token}, ${renewed}, p@ss-w0rd and p%40ss-w0rd`);
    });
    await expect(read(new RedactedConnector(connector, ['mysql://ann:p%40ss-w0rd@db/x']))).rejects.toMatchObject({
      name: 'SourceError',
      code: 'bad_answer',
      message: '[redacted], [redacted], [redacted] and [redacted]',
    });
  });
});
