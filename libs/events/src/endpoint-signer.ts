import { type SignedMessage, webhookSignature } from '@app/platform/crypto';
import type { ClaimedDelivery } from './delivery-outbox.repository.js';
import type { EndpointSecretsService } from './endpoint-secrets.service.js';

type ClaimedEndpoint = Pick<
  ClaimedDelivery,
  'workspaceId' | 'endpointId' | 'secret' | 'previousSecret' | 'previousSecretExpiresAt' | 'formerSecrets'
>;

/** Decrypts the secrets only once, when it signs the first message. */
export class EndpointSigner {
  private opened: { secret: string; expiresAt: Date | undefined }[] | undefined;

  constructor(
    private readonly secrets: EndpointSecretsService,
    private readonly endpoint: ClaimedEndpoint,
  ) {}

  /**
   * Returns the value of the `webhook-signature` header: signatures with the current secret and with each older secret
   * that is valid at `now`.
   * @throws DomainError `internal_error` if no key of this installation decrypts a secret
   */
  sign(message: SignedMessage, now: Date): string {
    this.opened ??= this.open(now);
    const valid = this.opened.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
    return webhookSignature(
      message,
      valid.map(({ secret }) => secret),
    );
  }

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
