import { createHmac, randomBytes } from 'node:crypto';
import { verifyWebhook, WebhookVerificationError } from './webhooks.js';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({ id: 'evt_1', type: 'run.completed', data: { id: 'run_ä' } });
const seconds = (): number => Math.floor(Date.now() / 1_000);

function signed(timestamp = seconds(), secret = SECRET, body = BODY): Record<string, string> {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
  return { 'Webhook-Id': 'evt_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}

describe('the check of a webhook', () => {
  it('gives the event, whatever form body and headers have', async () => {
    const event = JSON.parse(BODY);
    const bytes = new TextEncoder().encode(BODY);
    expect(await verifyWebhook(BODY, signed(), SECRET)).toEqual(event);
    expect(await verifyWebhook(Buffer.from(BODY), signed(), SECRET)).toEqual(event);
    expect(await verifyWebhook(bytes.buffer, new Headers(signed()), SECRET)).toEqual(event);
  });

  it('accepts one valid signature among several, as after a rotation', async () => {
    const { 'webhook-signature': signature, ...headers } = signed();
    const several = { ...headers, 'webhook-signature': `v1,AAAA v2,x ${signature}` };
    expect(await verifyWebhook(BODY, several, SECRET)).toMatchObject({ id: 'evt_1' });
  });

  it.each([
    ['another body', `${BODY} `, signed(), SECRET],
    ['another secret', BODY, signed(), `whsec_${randomBytes(32).toString('base64')}`],
    ['another id', BODY, { ...signed(), 'Webhook-Id': 'evt_2' }, SECRET],
    ['another time', BODY, { ...signed(), 'webhook-timestamp': String(seconds() - 1) }, SECRET],
    ['no signature', BODY, { ...signed(), 'webhook-signature': undefined }, SECRET],
    ['a signature that is no base64', BODY, { ...signed(), 'webhook-signature': 'v1,%%%' }, SECRET],
    ['a message that is over five minutes old', BODY, signed(seconds() - 301), SECRET],
    ['a message from the future', BODY, signed(seconds() + 330), SECRET],
    ['a time that is no number', BODY, { ...signed(), 'webhook-timestamp': 'now' }, SECRET],
  ])('refuses %s', async (_what, body, headers, secret) => {
    await expect(verifyWebhook(body, headers, secret)).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  it('names what the caller mixed up', async () => {
    await expect(verifyWebhook(JSON.parse(BODY), signed(), SECRET)).rejects.toThrow('not the parsed JSON');
    await expect(verifyWebhook(BODY, signed(), 'whsec_')).rejects.toThrow('`secret` must be');
  });
});
