import { type SignedMessage, webhookSignature } from '@app/platform/crypto';
import type { ClaimedDelivery } from './delivery-outbox.repository.js';
import type { EndpointSecrets } from './endpoint-secrets.js';

/** What a claim says about the endpoint of a delivery. */
type ClaimedEndpoint = Pick<
  ClaimedDelivery,
  'workspaceId' | 'endpointId' | 'secret' | 'previousSecret' | 'previousSecretExpiresAt'
>;

/**
 * Signs the messages of one endpoint that were claimed together: they have the same secrets, which are opened for the first
 * of them and forgotten with the last.
 */
export class EndpointSigner {
  private current: string | undefined;
  private previous: string | undefined;

  constructor(
    private readonly secrets: EndpointSecrets,
    private readonly endpoint: ClaimedEndpoint,
  ) {}

  /**
   * The value of `webhook-signature`: with the secret before as well, while that is valid at `now`.
   * @throws DomainError `internal_error` where a secret cannot be opened with this installation's keys
   */
  sign(message: SignedMessage, now: Date): string {
    const { secret, previousSecret, previousSecretExpiresAt } = this.endpoint;
    this.current ??= this.secrets.open(secret, this.endpoint);
    if (!previousSecret || !previousSecretExpiresAt || previousSecretExpiresAt <= now)
      return webhookSignature(message, [this.current]);
    this.previous ??= this.secrets.open(previousSecret, this.endpoint, 'previous_secret');
    return webhookSignature(message, [this.current, this.previous]);
  }
}
