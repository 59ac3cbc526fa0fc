import { Webhook } from 'standardwebhooks';
import fc from 'fast-check';
import { newWebhookSecret, webhookSignature } from './webhook-signature.js';

const aMessage = { id: 'evt_1', timestamp: Math.floor(Date.now() / 1_000), body: '{"id":"evt_1"}' };

const headers = ({ id, timestamp }: typeof aMessage, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

describe('the signature of a webhook', () => {
  it('is that of the test vector of the specification', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
    expect(webhookSignature(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('is accepted by the library of the specification, whatever the body', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const secret = newWebhookSecret();
        const message = { ...aMessage, body };
        expect(() =>
          new Webhook(secret).verify(body, headers(message, webhookSignature(message, [secret]))),
        ).not.toThrow();
      }),
    );
  });

  it('of two secrets is accepted with either, and with no other', () => {
    const [first, second, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    const signed = headers(aMessage, webhookSignature(aMessage, [first, second]));
    for (const secret of [first, second]) {
      expect(new Webhook(secret).verify(aMessage.body, signed)).toEqual({ id: 'evt_1' });
    }
    expect(() => new Webhook(other).verify(aMessage.body, signed)).toThrow();
    expect(() => new Webhook(first).verify(`${aMessage.body} `, signed)).toThrow();
    expect(() => new Webhook(first).verify(aMessage.body, { ...signed, 'webhook-id': 'evt_2' })).toThrow();
  });
});
