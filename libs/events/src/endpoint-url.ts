import { isIP } from 'node:net';
import { DomainError } from '@app/kernel';
import { EgressError, type HostGuard } from '@app/platform/egress';

export const MAX_URL = 2_048;

/**
 * Checks the URL of an endpoint: `https:`, no credentials, and no address that the egress rules block. `http:` is
 * allowed for hosts in EGRESS_ALLOW. Public host names are not resolved here: each delivery resolves and checks them.
 */
export async function assertDeliverable(text: string, guard: HostGuard): Promise<void> {
  if (!URL.canParse(text)) throw refusal('The URL must be absolute, such as https://example.com/events.');
  const url = new URL(text);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refusal('The URL must begin with https://.');
  if (url.username || url.password)
    throw refusal('The URL must not contain credentials. Verify the signature of the messages instead.');
  if (url.protocol === 'http:' && !(await guard.isListed(hostname, port))) {
    throw refusal(
      'The URL must begin with https://. http:// is allowed only for hosts that the operator has listed in EGRESS_ALLOW.',
    );
  }
  if (isIP(hostname) === 0 && !isInternalName(hostname)) return;
  await guard.resolve(hostname, port).catch((error: unknown) => {
    throw error instanceof EgressError ? refusal(`The URL cannot be used: ${error.message}`) : error;
  });
}

/**
 * Whether only an internal network can resolve the host name. Such a name is checked when the endpoint is saved, and
 * not only at each delivery.
 */
function isInternalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return !name.includes('.') || /\.(localhost|internal|local)$/i.test(name);
}

function refusal(detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer: '/url', detail }] });
}
