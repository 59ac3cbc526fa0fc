import type { ClientOptions } from './options.js';

/** Global variables that exist only on some platforms: `process` in Node.js, and `location` in browsers. */
const platform: { process?: { env?: Record<string, string | undefined> }; location?: { origin: string } } = globalThis;

/** Code outside this class cannot read the API key. */
export class Access {
  /** URL of the service. It ends with a slash and does not contain `/v1`. */
  readonly base: URL;
  readonly credentials: 'omit' | 'same-origin' | 'include';
  readonly #headers: Readonly<Record<string, string>>;
  readonly #proof: Readonly<Record<string, string>>;

  readonly #options: ClientOptions;

  /** @throws {TypeError} if the URL or the API key is missing or invalid */
  constructor(given: ClientOptions, isSecondPort = false) {
    const { session = false, headers = {}, ...options } = given;
    this.#options = given;
    // For a browser, the second port is another origin, to which it sends the session cookie only if asked to.
    if (session) this.credentials = isSecondPort ? 'include' : 'same-origin';
    else this.credentials = 'omit';
    this.base = baseOf(options.baseUrl ?? environment('AAS_URL') ?? (session ? platform.location?.origin : undefined));
    this.#headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    this.#proof = session ? { 'x-aas-console': '1' } : bearer(options.apiKey);
  }

  atStopUrl(): Access | undefined {
    const { stopUrl } = this.#options;
    const baseUrl = typeof stopUrl === 'function' ? stopUrl() : stopUrl;
    return baseUrl === undefined ? undefined : new Access({ ...this.#options, baseUrl }, true);
  }

  headersOf({ isAnonymous }: { isAnonymous: boolean }): Record<string, string> {
    return { ...this.#headers, ...(!isAnonymous && this.#proof) };
  }

  /**
   * Returns the URL of a path of the service.
   *
   * @throws {TypeError} if the URL is outside the base URL of the service, because the API key must not be sent there
   */
  urlOf(path: string): URL {
    const url = new URL(path.replace(/^\/(?!\/)/, ''), this.base);
    if (url.href.startsWith(this.base.href)) return url;
    throw new TypeError(`\`path\` must be a path of ${this.base.href}, for example \`/v1/runs\`.`);
  }
}

function baseOf(address: string | undefined): URL {
  if (!address) throw new TypeError('The address of the service is missing: pass `baseUrl`, or set AAS_URL.');
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // The URL may contain a password, so the message does not contain the URL.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new TypeError('`baseUrl` must be the http or https address of the service, without a user name or password.');
  }
  return new URL(`${url.pathname.replace(/\/*(\/v1)?\/*$/, '')}/`, url);
}

function bearer(apiKey: ClientOptions['apiKey']): Record<string, string> {
  return apiKey === null ? {} : { authorization: `Bearer ${keyOf(apiKey ?? environment('AAS_API_KEY'))}` };
}

function keyOf(apiKey: string | undefined): string {
  const key = apiKey?.trim();
  if (!key) throw new TypeError('The API key is missing: pass `apiKey`, or set AAS_API_KEY.');
  // The key is checked here, because the error message of `fetch` for an invalid header would contain the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('`apiKey` has characters that no API key has.');
  return key;
}

/**
 * Returns the value of an environment variable. Returns undefined if it is not set, or if the platform has no
 * environment variables, as in a browser.
 */
function environment(name: 'AAS_API_KEY' | 'AAS_URL'): string | undefined {
  return platform.process?.env?.[name];
}
