import { createHash, createHmac } from 'node:crypto';
import { type AwsSignatureAuth, type Scope, scalarText } from '@app/definition';
import type { StreamedBody } from '@app/platform/egress';
import type { SignatureV4Init } from '@smithy/signature-v4';
import type { HttpRequest } from './described-request.js';

type SourceData = string | ArrayBuffer | ArrayBufferView;

export type SentRequest = Omit<HttpRequest, 'body'> & { body: string | Uint8Array | StreamedBody | null };

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  readonly region: string;
  readonly service: string;
}

/**
 * Matches the names of AWS services that require two special rules for signatures: the path is signed as it is sent,
 * and a header must contain the hash of the body.
 */
const S3 = /^s3(-|$)/;
/** Headers that are signed. Other headers are not signed, because proxies may change them. */
const SIGNED = /^(host|content-type|x-amz-.*)$/;

/** @throws ExpressionError */
export function awsCredentials(auth: AwsSignatureAuth, facts: Scope): AwsCredentials {
  const text = (template: AwsSignatureAuth['region']): string => scalarText(template.evaluate(facts));
  const token = auth.sessionToken?.evaluate(facts) ?? null;
  return {
    accessKeyId: text(auth.accessKeyId),
    secretAccessKey: text(auth.secretAccessKey),
    sessionToken: token === null ? null : scalarText(token),
    region: text(auth.region),
    service: text(auth.service),
  };
}

export async function signedForAws(
  request: SentRequest,
  { accessKeyId, secretAccessKey, sessionToken, region, service }: AwsCredentials,
  now: Date,
): Promise<SentRequest> {
  // The library is loaded only when a request is signed, because most processes sign no request.
  const { SignatureV4 } = await import('@smithy/signature-v4');
  const isS3 = S3.test(service);
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== null && { sessionToken }) };
  const sha256: SignatureV4Init['sha256'] = Sha256;
  const signer = new SignatureV4({ credentials, region, service, sha256, uriEscapePath: !isS3, applyChecksum: isS3 });
  const url = withEncodedSpaces(new URL(request.url));
  if (isS3) url.pathname = canonicalPath(url.pathname);
  const { body } = request;
  const isStreamed = typeof body === 'object' && body !== null && 'open' in body;
  // The signature covers a hash of the body, so a streamed body is read once more.
  const headers = isStreamed ? { ...request.headers, 'x-amz-content-sha256': await hashOf(body) } : request.headers;
  const unsigned = new Set(Object.keys(headers).filter((name) => !SIGNED.test(name)));
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: queryOf(url),
      headers: { ...headers, host: url.host },
      ...(body !== null && !isStreamed && { body }),
    },
    { signingDate: now, unsignableHeaders: unsigned },
  );
  return { ...request, url: url.href, headers: signed.headers };
}

async function hashOf(body: StreamedBody): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await body.open()) hash.update(chunk);
  return hash.digest('hex');
}

/** AWS does not decode `+` in a query as a space. */
function withEncodedSpaces(url: URL): URL {
  url.search = url.search.replaceAll('+', '%20');
  return url;
}

/**
 * Percent-encodes everything but unreserved characters. S3 signs a path in this form, whichever form it receives, for
 * example `%28` for a bracket.
 */
function canonicalPath(path: string): string {
  return path.replace(/%[0-9a-f]{2}|[^A-Za-z0-9\-._~/]/gi, (part) =>
    part.length === 3 ? part.toUpperCase() : `%${part.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function queryOf({ searchParams }: URL): Record<string, string | string[]> {
  const names = new Set(searchParams.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** The signature library requires a class with this interface. */
class Sha256 {
  private hash;

  constructor(private readonly key?: SourceData) {
    this.hash = this.begin();
  }

  update(data: Uint8Array | string): void {
    this.hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    this.hash = this.begin();
  }

  private begin() {
    return this.key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(this.key));
  }
}

function bytesOf(data: SourceData): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
