import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookAuth } from '@app/definition';
import { Webhook } from 'standardwebhooks';
import { fitsAuth } from './webhook-schemes.js';

const AT = new Date('2026-03-02T10:00:00Z');
const SECONDS = AT.getTime() / 1_000;
const FIVE_MINUTES = 300_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

interface Sent {
  auth: WebhookAuth;
  secret: string;
  headers: IncomingHttpHeaders;
  body?: string;
  target?: string;
  now?: Date;
}

const fits = ({ auth, secret, headers, body = '', target = '/v1/agents/agt_1/trigger', now = AT }: Sent): boolean =>
  fitsAuth(auth, secret, { headers, target, body: Buffer.from(body) }, { now, publicUrl: 'https://aas.example' });

const hmac = (key: string | Buffer, text: string, algorithm = 'sha256', encoding: 'hex' | 'base64' = 'hex') =>
  createHmac(algorithm, key).update(text).digest(encoding);

describe('a signature in the documentation of its sender', () => {
  it('is that of Slack', () => {
    const sent: Sent = {
      auth: { scheme: 'slack', secret: 'S', toleranceMs: FIVE_MINUTES },
      secret: '8f742231b10e8888abcd99yyyzzz85a5',
      headers: {
        'x-slack-request-timestamp': '1531420618',
        'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      },
      body:
        'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
        '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
        '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      now: new Date(1_531_420_618_000),
    };
    expect(fits(sent)).toBe(true);
    expect(fits({ ...sent, now: new Date(1_531_420_618_000 + FIVE_MINUTES + 1_000) })).toBe(false);
    expect(fits({ ...sent, body: `${sent.body}x` })).toBe(false);
  });

  it('is that of Twilio, for a form and for JSON', () => {
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
    const auth: WebhookAuth = { scheme: 'twilio', secret: 'T', url };
    const form = new URLSearchParams({
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
      From: '+14158675309',
      To: '+18005551212',
    }).toString();
    const sent: Sent = {
      auth,
      secret: '12345',
      headers: { ...FORM_TYPE, 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
      body: form,
    };
    expect(fits(sent)).toBe(true);
    expect(fits({ ...sent, auth: { ...auth, url: 'https://mycompany.com:443/myapp.php?foo=1&bar=2' } })).toBe(true);
    expect(fits({ ...sent, body: `${form}&more=1` })).toBe(false);

    const hash = '0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620';
    const json: Sent = {
      auth: { ...auth, url: `${url}&bodySHA256=${hash}` },
      secret: '12345',
      headers: { ...JSON_TYPE, 'x-twilio-signature': 'a9nBmqA0ju/hNViExpshrM61xv4=' },
      body: '{"property": "value", "boolean": true}',
    };
    expect(fits(json)).toBe(true);
    expect(fits({ ...json, body: '{"property": "other", "boolean": true}' })).toBe(false);
    expect(fits({ ...json, auth })).toBe(false);
  });

  it('is that of GitHub', () => {
    // The secret of the example in the specification.
    const secret = Buffer.from('SXQncyBhIFNlY3JldCB0byBFdmVyeWJvZHk=', 'base64').toString();
    const headers = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };
    const sent = { secret, headers, body: 'Hello, World!' };
    expect(fits({ ...sent, auth: { scheme: 'github', secret: 'G' } })).toBe(true);
    expect(fits({ ...sent, auth: { scheme: 'meta', secret: 'G', verifyToken: 'V' } })).toBe(true);
    expect(fits({ ...sent, auth: { scheme: 'github', secret: 'G' }, body: 'Hello, World?' })).toBe(false);
    const capitals = { 'x-hub-signature-256': headers['x-hub-signature-256'].toUpperCase() };
    expect(fits({ ...sent, headers: capitals, auth: { scheme: 'github', secret: 'G' } })).toBe(true);
  });

  it('is that of Standard Webhooks, as its library makes it', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const auth: WebhookAuth = { scheme: 'standard', secret: 'S', toleranceMs: FIVE_MINUTES };
    const body = '{"test": 2432232314}';
    const signature = new Webhook(secret).sign('msg_1', AT, body);
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(SECONDS), 'webhook-signature': signature };
    expect(fits({ auth, secret, headers, body })).toBe(true);
    expect(fits({ auth, secret, headers: { ...headers, 'webhook-signature': `v1,bm8= ${signature}` }, body })).toBe(
      true,
    );
    expect(fits({ auth, secret, headers: { ...headers, 'webhook-id': 'msg_2' }, body })).toBe(false);
    expect(fits({ auth, secret, headers, body, now: new Date(AT.getTime() - FIVE_MINUTES - 1_000) })).toBe(false);
    expect(
      fits({ auth: { ...auth, toleranceMs: 1_000 }, secret, headers, body, now: new Date(AT.getTime() + 2_000) }),
    ).toBe(false);
    expect(fits({ auth, secret: 'whsec_', headers, body })).toBe(false);
    const ofSvix = { 'svix-id': 'msg_1', 'svix-timestamp': String(SECONDS), 'svix-signature': signature };
    expect(fits({ auth, secret, headers: ofSvix, body })).toBe(true);
    expect(fits({ auth, secret, headers: { ...ofSvix, 'svix-id': 'msg_2' }, body })).toBe(false);
  });
});

describe('a call fits', () => {
  const body = '{"id":"evt_1"}';

  it('`stripe` by any of the signatures of version 1', () => {
    const auth: WebhookAuth = { scheme: 'stripe', secret: 'S', toleranceMs: FIVE_MINUTES };
    const v1 = hmac('whsec_test', `${SECONDS}.${body}`);
    const sign = (header: string) =>
      fits({ auth, secret: 'whsec_test', headers: { 'stripe-signature': header }, body });
    expect(sign(`t=${SECONDS},v1=${v1}`)).toBe(true);
    expect(sign(`t=${SECONDS},v1=${hmac('old', body)},v1=${v1},v0=6ffbb59b`)).toBe(true);
    expect(sign(`t=${SECONDS},v0=${v1}`)).toBe(false);
    expect(sign(`t=${SECONDS - 301},v1=${hmac('whsec_test', `${SECONDS - 301}.${body}`)}`)).toBe(false);
    expect(sign(`v1=${v1}`)).toBe(false);
    expect(sign('')).toBe(false);
  });

  it('`shopify` and `linear`', () => {
    const shopify = { 'x-shopify-hmac-sha256': hmac('key', body, 'sha256', 'base64') };
    expect(fits({ auth: { scheme: 'shopify', secret: 'S' }, secret: 'key', headers: shopify, body })).toBe(true);
    expect(fits({ auth: { scheme: 'shopify', secret: 'S' }, secret: 'other', headers: shopify, body })).toBe(false);

    const auth: WebhookAuth = { scheme: 'linear', secret: 'S', toleranceMs: FIVE_MINUTES };
    const linear = (content: string) =>
      fits({ auth, secret: 'key', headers: { 'linear-signature': hmac('key', content) }, body: content });
    expect(linear(JSON.stringify({ webhookTimestamp: AT.getTime() - 299_000 }))).toBe(true);
    expect(linear(JSON.stringify({ webhookTimestamp: AT.getTime() - 301_000 }))).toBe(false);
    expect(linear(JSON.stringify({ webhookTimestamp: AT.getTime() + 301_000 }))).toBe(false);
    expect(linear('{}')).toBe(false);
    expect(linear('no JSON')).toBe(false);
  });

  it('`hmac` with any header, algorithm, encoding and prefix', () => {
    const auth: WebhookAuth = {
      scheme: 'hmac',
      secret: 'S',
      header: 'x-signature',
      algorithm: 'sha512',
      encoding: 'base64',
      prefix: 'sha512=',
    };
    const signature = hmac('key', body, 'sha512', 'base64');
    expect(fits({ auth, secret: 'key', headers: { 'x-signature': `sha512=${signature}` }, body })).toBe(true);
    expect(fits({ auth, secret: 'key', headers: { 'x-signature': signature }, body })).toBe(false);
    const hex: WebhookAuth = { ...auth, algorithm: 'sha1', encoding: 'hex', prefix: '' };
    const upper = hmac('key', body, 'sha1').toUpperCase();
    expect(fits({ auth: hex, secret: 'key', headers: { 'x-signature': upper }, body })).toBe(true);
  });

  it('`gitlab`, `token` and `basic` by the secret itself', () => {
    expect(fits({ auth: { scheme: 'gitlab', secret: 'S' }, secret: 'key', headers: { 'x-gitlab-token': 'key' } })).toBe(
      true,
    );
    expect(fits({ auth: { scheme: 'gitlab', secret: 'S' }, secret: 'key', headers: { 'x-gitlab-token': 'ke' } })).toBe(
      false,
    );
    const token: WebhookAuth = { scheme: 'token', secret: 'S', header: null };
    expect(fits({ auth: token, secret: 'key', headers: { authorization: 'Bearer key' } })).toBe(true);
    expect(fits({ auth: token, secret: 'key', headers: { authorization: 'key' } })).toBe(false);
    expect(fits({ auth: { ...token, header: 'x-key' }, secret: 'key', headers: { 'x-key': 'key' } })).toBe(true);
    expect(fits({ auth: { ...token, header: 'x-key' }, secret: 'key', headers: {} })).toBe(false);
    const basic: WebhookAuth = { scheme: 'basic', secret: 'S', username: 'ann' };
    const credentials = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    expect(fits({ auth: basic, secret: 'k:y', headers: credentials('ann:k:y') })).toBe(true);
    expect(fits({ auth: basic, secret: 'k:y', headers: credentials('bob:k:y') })).toBe(false);
  });

  it('`twilio` at the public address of the service, with repeated parameters sorted', () => {
    const auth: WebhookAuth = { scheme: 'twilio', secret: 'S', url: null };
    const target = '/v1/agents/agt_1/trigger?trigger=sms';
    const sign = (text: string) => ({ 'x-twilio-signature': hmac('key', text, 'sha1', 'base64') });
    const url = `https://aas.example${target}`;
    const headers = { ...FORM_TYPE, ...sign(`${url}A1A2Bx`) };
    expect(fits({ auth, secret: 'key', target, headers, body: 'B=x&A=2&A=1&A=1' })).toBe(true);
    const hash = createHash('sha256').update(body).digest('hex');
    const hashed = `${target}&bodySHA256=${hash}`;
    const json = { ...JSON_TYPE, ...sign(`https://aas.example${hashed}`) };
    expect(fits({ auth, secret: 'key', target: hashed, headers: json, body })).toBe(true);
    expect(fits({ auth, secret: 'key', target: hashed, headers: json, body: '{}' })).toBe(false);
    expect(fits({ auth, secret: 'key', target, headers: { ...JSON_TYPE, ...sign(url) }, body })).toBe(false);
  });
});
