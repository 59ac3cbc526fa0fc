import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newWebhookSecret, webhookSignature } from '@app/platform/crypto';
import { eventually } from '../support/eventually.js';

const ROOT = join(import.meta.dirname, '..', '..');
const PORT = 41_961;

describe('the receiver in docs/webhooks.md', () => {
  const secret = newWebhookSecret();
  let folder: string;
  let receiver: ChildProcess;

  beforeAll(async () => {
    const page = await readFile(join(ROOT, 'docs/webhooks.md'), 'utf8');
    const [, code] = /<!-- receiver: start -->\s+```js\n(.*?)```/s.exec(page) ?? [];
    expect(code?.trim().split('\n').length).toBeLessThanOrEqual(15);
    folder = await mkdtemp(join(tmpdir(), 'receiver-'));
    await writeFile(join(folder, 'receiver.mjs'), code ?? '');
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(PORT) };
    receiver = spawn(process.execPath, [join(folder, 'receiver.mjs')], { env, stdio: 'ignore' });
    await eventually(async () => expect((await post({})).status).toBe(401));
  });
  afterAll(async () => {
    const ended = once(receiver, 'exit');
    receiver.kill();
    await ended;
    await rm(folder, { recursive: true });
  });

  const body = '{"id":"evt_1","type":"run.completed"}';
  const post = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${PORT}`, { method: 'POST', headers, body });
  const signed = (timestamp: number, secrets: string[]) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature({ id: 'evt_1', timestamp, body }, secrets),
  });
  const now = () => Math.floor(Date.now() / 1_000);

  it('takes messages that are signed with its secret, also beside another', async () => {
    expect((await post(signed(now(), [secret]))).status).toBe(204);
    expect((await post(signed(now(), [newWebhookSecret(), secret]))).status).toBe(204);
  });

  it('continues after a sender that closes the connection in the middle of a body', async () => {
    const socket = connect(PORT, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a', () => socket.destroy());
    await once(socket, 'close');
    expect((await post(signed(now(), [secret]))).status).toBe(204);
    expect(receiver.exitCode).toBeNull();
  });

  it('refuses messages that are signed with another secret, old, or not signed', async () => {
    expect((await post(signed(now(), [newWebhookSecret()]))).status).toBe(401);
    expect((await post(signed(now() - 3_600, [secret]))).status).toBe(401);
    expect((await post({})).status).toBe(401);
  });
});
