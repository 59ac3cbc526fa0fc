import type { JsonObject } from '@app/kernel';
import type { CompileContext } from '../contract/compile-context.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import { byValue, choice, duration, object, pattern, text } from '../contract/building-blocks.js';
import {
  HMAC_ALGORITHMS,
  HMAC_ENCODINGS,
  WEBHOOK_SCHEMES,
  type WebhookAuth,
  type WebhookScheme,
} from '../model/webhook-trigger.js';

const DEFAULT_TOLERANCE_MILLIS = 5 * 60_000;
const SECRET_REFERENCE = /secrets\.(\w+)/;

const secret = pattern('Secret of the sender, as `${{ secrets.NAME }}`.', 'secretReference');
const tolerance = duration('Maximum difference between the signed time of the sender and the time of the service.', {
  default: '5m',
});

/** For each scheme, its additional fields and the names of those that are required. */
const MEMBERS: Readonly<Record<WebhookScheme, readonly [Record<string, JsonObject>, ...string[]]>> = {
  slack: [{ tolerance }],
  stripe: [{ tolerance }],
  standard: [{ tolerance }],
  shopify: [{}],
  linear: [{ tolerance }],
  github: [{}],
  meta: [
    {
      verify_token: pattern(
        'Token that Meta sends to verify the address, as a reference `${{ secrets.NAME }}`.',
        'secretReference',
      ),
    },
    'verify_token',
  ],
  twilio: [{ url: pattern('URL that Twilio calls. Default: the URL of the webhook below PUBLIC_URL.', 'httpUrl') }],
  hmac: [
    {
      header: pattern('Header that contains the signature.', 'headerName'),
      algorithm: choice('Hash function.', HMAC_ALGORITHMS, { default: 'sha256' }),
      encoding: choice('Encoding of the signature.', HMAC_ENCODINGS, { default: 'hex' }),
      prefix: text('Text before the signature, such as `sha256=`.', { maxLength: 64 }),
    },
    'header',
  ],
  gitlab: [{}],
  token: [
    { header: pattern('Header that contains the secret. Default: `Authorization: Bearer <secret>`.', 'headerName') },
  ],
  basic: [{ username: text('User name of the sender.', { maxLength: 255 }) }, 'username'],
};

export const authSchema: JsonObject = {
  ...byValue(
    'scheme',
    Object.fromEntries(
      WEBHOOK_SCHEMES.map((scheme) => {
        const [members, ...required] = MEMBERS[scheme];
        const properties = { scheme: text(scheme), secret, ...members };
        const description = `Authenticates deliveries by the scheme \`${scheme}\`.`;
        return [scheme, object(description, properties, ['scheme', 'secret', ...required])];
      }),
    ),
  ),
  description: 'How the sender authenticates. The webhook secret of the agent is also accepted.',
};

export function compileAuth(node: DefinitionNode | null, context: CompileContext): WebhookAuth | null {
  if (!node) return null;
  const base = { secret: secretName(node, 'secret', context) };
  const scheme = node.choice('scheme', WEBHOOK_SCHEMES);
  switch (scheme) {
    case 'slack':
    case 'stripe':
    case 'standard':
    case 'linear':
      return { ...base, scheme, toleranceMs: node.durationOr('tolerance', DEFAULT_TOLERANCE_MILLIS) };
    case 'shopify':
    case 'github':
    case 'gitlab':
      return { ...base, scheme };
    case 'meta':
      return { ...base, scheme, verifyToken: secretName(node, 'verify_token', context) };
    case 'twilio':
      return { ...base, scheme, url: node.optionalText('url') };
    case 'hmac':
      return {
        ...base,
        scheme,
        header: node.text('header').toLowerCase(),
        algorithm: node.choiceOr('algorithm', HMAC_ALGORITHMS, 'sha256'),
        encoding: node.choiceOr('encoding', HMAC_ENCODINGS, 'hex'),
        prefix: node.optionalText('prefix') ?? '',
      };
    case 'token':
      return { ...base, scheme, header: node.optionalText('header')?.toLowerCase() ?? null };
    case 'basic':
      return { ...base, scheme, username: node.text('username') };
  }
}

function secretName(node: DefinitionNode, key: string, context: CompileContext): string {
  const [, name = ''] = SECRET_REFERENCE.exec(node.text(key)) ?? [];
  context.secretUses.push({ name, path: node.pathOf(key) });
  return name;
}
