import { type SignedMessage, webhookSignature } from '@app/platform/crypto';
import type { ClaimedDelivery } from './delivery-outbox.repository.js';
import type { EndpointSecrets } from './endpoint-secrets.js';

/** What a claim says about the endpoint of a delivery. */
type ClaimedEndpoint = Pick<
  ClaimedDelivery,
  'workspaceId' | 'endpointId' | 'secret' | 'previousSecret' | 'previousSecretExpiresAt' | 'formerSecrets'
>;

/**
 * Signs the messages of one endpoint that were claimed together: they have the same secrets, which are opened for the
 * first of them and forgotten with the last.
 */
export class EndpointSigner {
  private opened: { secret: string; expiresAt: Date | undefined }[] | undefined;

  constructor(
    private readonly secrets: EndpointSecrets,
    private readonly endpoint: ClaimedEndpoint,
  ) {}

  /**
   * The value of `webhook-signature`: with the current secret, and with each former one that is valid at `now`.
   * @throws DomainError `internal_error` where a secret cannot be opened with this installation's keys
   */
  sign(message: SignedMessage, now: Date): string {
    this.opened ??= this.open(now);
    const valid = this.opened.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
    return webhookSignature(
      message,
      valid.map(({ secret }) => secret),
    );
  }

  /**
   * Those that are valid: one whose time is over may be sealed with a key that is gone, and nothing depends on it any
   * more.
   */
  private open(now: Date): { secret: string; expiresAt: Date | undefined }[] {
    const { secret, previousSecret, previousSecretExpiresAt, formerSecrets } = this.endpoint;
    const opened = [{ secret: this.secrets.open(secret, this.endpoint), expiresAt: undefined as Date | undefined }];
    if (previousSecret && previousSecretExpiresAt && previousSecretExpiresAt > now) {
      const previous = this.secrets.open(previousSecret, this.endpoint, 'previous_secret');
      opened.push({ secret: previous, expiresAt: previousSecretExpiresAt });
    }
    for (const { sealed, expires_at } of formerSecrets ?? []) {
      const former = this.secrets.openFormer(Buffer.from(sealed, 'base64'), this.endpoint);
      opened.push({ secret: former, expiresAt: new Date(expires_at) });
    }
    return opened;
  }
}
