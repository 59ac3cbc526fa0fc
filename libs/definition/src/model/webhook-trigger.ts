import type { Template } from '@app/cel';

/** How a sender signs or authenticates its calls. `docs/triggers.md` describes each scheme. */
export const WEBHOOK_SCHEMES = [
  'slack',
  'stripe',
  'standard',
  'shopify',
  'linear',
  'github',
  'meta',
  'twilio',
  'hmac',
  'gitlab',
  'token',
  'basic',
] as const;
export type WebhookScheme = (typeof WEBHOOK_SCHEMES)[number];

export const HMAC_ALGORITHMS = ['sha256', 'sha1', 'sha512'] as const;
export type HmacAlgorithm = (typeof HMAC_ALGORITHMS)[number];
export const HMAC_ENCODINGS = ['hex', 'base64'] as const;
export type HmacEncoding = (typeof HMAC_ENCODINGS)[number];

/** The fields of `auth` that only some schemes have. */
type SchemeMembers =
  /** The signature covers a timestamp, which may differ from the current time by at most `toleranceMs`. */
  | { readonly scheme: 'slack' | 'stripe' | 'standard' | 'linear'; readonly toleranceMs: number }
  | { readonly scheme: 'shopify' | 'github' | 'gitlab' }
  /** `verifyToken` is the name of the secret that Meta sends to verify the address. */
  | { readonly scheme: 'meta'; readonly verifyToken: string }
  /** `url` is the address that Twilio calls. If null, Twilio calls the address of the trigger below `PUBLIC_URL`. */
  | { readonly scheme: 'twilio'; readonly url: string | null }
  | {
      readonly scheme: 'hmac';
      readonly header: string;
      readonly algorithm: HmacAlgorithm;
      readonly encoding: HmacEncoding;
      readonly prefix: string;
    }
  /** `header` is the header that contains the secret. If null, the secret is sent as `Authorization: Bearer`. */
  | { readonly scheme: 'token'; readonly header: string | null }
  | { readonly scheme: 'basic'; readonly username: string };

/** How a sender proves that it may call the trigger. `secret` is the name of a secret of the workspace. */
export type WebhookAuth = SchemeMembers & { readonly secret: string };

/** The response to the caller of a webhook. Its templates can read `output`, `run`, `body` and `trigger`. */
export interface WebhookResponse {
  readonly waitMs: number;
  /** If null, the status is 200. */
  readonly status: Template | null;
  readonly headers: ReadonlyMap<string, Template>;
  /** If null, the body is the output of the run. */
  readonly body: Template | null;
}
