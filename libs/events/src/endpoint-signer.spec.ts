import { newWebhookSecret, SealedBox } from '@app/platform/crypto';
import { formerSecretCell } from '@app/workspace';
import { Webhook } from 'standardwebhooks';
import { EndpointSecretsService } from './endpoint-secrets.service.js';
import { EndpointSigner } from './endpoint-signer.js';

const OWNER = { workspaceId: 'wsp_1', endpointId: 'whe_1' };
const NOW = new Date();
const MESSAGE = { id: 'evt_1', timestamp: Math.floor(NOW.getTime() / 1_000), body: '{"id":"evt_1"}' };

describe('the signer of an endpoint', () => {
  const box = new SealedBox([Buffer.alloc(32, 1)]);
  const secrets = new EndpointSecretsService(box);
  const [current, previous, former] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const expiry = new Date(NOW.getTime() + 1_000);
  const rotated = {
    ...OWNER,
    secret: secrets.seal(current, OWNER),
    previousSecret: secrets.seal(previous, OWNER, 'previous_secret'),
    previousSecretExpiresAt: expiry,
    formerSecrets: null,
  };
  const isAccepted = (signature: string, secret: string): boolean => {
    const { id, timestamp, body } = MESSAGE;
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  };

  it('signs with the secret before until that is no longer valid, however long ago the claim was', () => {
    const signer = new EndpointSigner(secrets, rotated);
    const during = signer.sign(MESSAGE, NOW);
    expect([current, previous].map((secret) => isAccepted(during, secret))).toEqual([true, true]);
    const after = signer.sign(MESSAGE, expiry);
    expect([current, previous].map((secret) => isAccepted(after, secret))).toEqual([true, false]);
  });

  it('signs with each former secret until its own time is over', () => {
    const { workspaceId, endpointId: ownerId } = OWNER;
    const sealed = box.seal(former, formerSecretCell({ workspaceId, ownerId })).toString('base64');
    const later = new Date(expiry.getTime() + 1_000);
    const formerSecrets = [{ sealed, expires_at: later.toISOString() }];
    const signer = new EndpointSigner(secrets, { ...rotated, formerSecrets });
    const valid = (at: Date) =>
      [current, previous, former].map((secret) => isAccepted(signer.sign(MESSAGE, at), secret));
    expect(valid(NOW)).toEqual([true, true, true]);
    expect(valid(expiry)).toEqual([true, false, true]);
    expect(valid(later)).toEqual([true, false, false]);
  });

  it('signs with the only secret of an endpoint that was never rotated', () => {
    const signer = new EndpointSigner(secrets, { ...rotated, previousSecret: null, previousSecretExpiresAt: null });
    expect(isAccepted(signer.sign(MESSAGE, NOW), current)).toBe(true);
  });

  it('signs although the secret before, whose time is over, is sealed with a key that is gone', () => {
    const gone = new EndpointSecretsService(new SealedBox([Buffer.alloc(32, 2)]));
    const previousSecret = gone.seal(previous, OWNER, 'previous_secret');
    const signer = new EndpointSigner(secrets, { ...rotated, previousSecret });
    expect(isAccepted(signer.sign(MESSAGE, expiry), current)).toBe(true);
  });

  it('signs nothing with what belongs to another endpoint', () => {
    const signer = new EndpointSigner(secrets, { ...rotated, endpointId: 'whe_2' });
    expect(() => signer.sign(MESSAGE, NOW)).toThrow(expect.objectContaining({ code: 'internal_error' }));
  });
});
