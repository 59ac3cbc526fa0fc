import { type AwsCredentials, type SentRequest, signedForAws } from './aws-signature.js';

/** Credentials, time and signatures of the test suite that AWS publishes for Signature Version 4. */
const SUITE: AwsCredentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
  region: 'us-east-1',
  service: 'service',
};
const TIME = new Date('2015-08-30T12:36:00Z');

const request = (url: string, more: Partial<SentRequest> = {}): SentRequest => ({
  method: 'GET',
  url,
  headers: {},
  body: null,
  ...more,
});
const BASE = 'https://example.amazonaws.com';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const signatureOf = async (sent: SentRequest, credentials = SUITE, time = TIME): Promise<string | undefined> => {
  const { headers } = await signedForAws(sent, credentials, time);
  return /Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '')?.[1];
};

describe('the signature of an AWS request', () => {
  it.each<[string, SentRequest, string]>([
    ['get-vanilla', request(`${BASE}/`), '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['get-vanilla-query-order-key-case', request(`${BASE}/?Param2=value2&Param1=value1`), 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500'],
    ['get-vanilla-utf8-query', request(`${BASE}/?ሴ=bar`), '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04'],
    ['get-unreserved', request(`${BASE}/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz`), '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f'],
    ['post-vanilla', request(`${BASE}/`, { method: 'POST' }), '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    ['post-x-www-form-urlencoded', request(`${BASE}/`, { method: 'POST', headers: FORM, body: 'Param1=value1' }), 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a'],
  ])('is that of the published suite: %s', async (_, sent, signature) => expect(await signatureOf(sent)).toBe(signature)
  ); // prettier-ignore

  it('is that of the published examples of S3', async () => {
    const credentials = {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      sessionToken: null,
      region: 'us-east-1',
      service: 's3',
    };
    const time = new Date('2013-05-24T00:00:00Z');
    const lifecycle = request('https://examplebucket.s3.amazonaws.com/?lifecycle=');
    expect(await signatureOf(lifecycle, credentials, time)).toBe(
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    );
    const { headers } = await signedForAws(lifecycle, credentials, time);
    expect(headers['x-amz-content-sha256']).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('covers the token of temporary credentials, and leaves other headers unsigned', async () => {
    const sent = request(`${BASE}/`, { headers: { 'x-team': 'blue' } });
    const { headers } = await signedForAws(sent, { ...SUITE, sessionToken: 'token' }, TIME);
    expect(headers).toMatchObject({ 'x-amz-security-token': 'token', 'x-team': 'blue' });
    expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
  });

  it.each([
    ["/a/it's (1)!*", '/a/it%27s%20%281%29%21%2A'],
    ['/a+b:c,d@e', '/a%2Bb%3Ac%2Cd%40e'],
    ['/caf%c3%a9', '/caf%C3%A9'],
    ['/é', '/%C3%A9'],
  ])('covers the path as S3 encodes it: %s', async (path, encoded) => {
    const s3 = { ...SUITE, service: 's3' };
    const { url } = await signedForAws(request(BASE + path), s3, TIME);
    expect(url).toBe(BASE + encoded);
    expect(await signatureOf(request(BASE + path), s3)).toBe(await signatureOf(request(BASE + encoded), s3));
    expect((await signedForAws(request(BASE + path), SUITE, TIME)).url).toBe(new URL(BASE + path).href);
  });

  it('reads a plus sign of a query as a space', async () => {
    const { url } = await signedForAws(request(`${BASE}/?a=b+c&d=%2B`), SUITE, TIME);
    expect(url).toBe(`${BASE}/?a=b%20c&d=%2B`);
  });
});
