import type { ApiAnswer, HttpApi } from './http-api.js';

/** Acts like a browser with the console open: stores cookies and sends the headers of a console page. */
export class ConsoleClient {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly api: Pick<HttpApi, 'call'>,
    /** Headers that a console page sends. Tests replace them by the headers of a page on another site. */
    readonly headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin', 'X-AAS-Console': '1' },
  ) {}

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    const cookie = this.cookieHeader;
    const all = { ...this.headers, ...(cookie !== '' && { Cookie: cookie }), ...headers };
    const answer = await this.api.call(method, path, { body, headers: all, redirect: 'manual' });
    this.keepCookies(answer.headers);
    return answer;
  }

  signIn(apiKey: string): Promise<ApiAnswer> {
    return this.call('POST', '/auth/key', { api_key: apiKey });
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  keepCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) this.keep(line);
  }

  as(headers: Record<string, string>): ConsoleClient {
    const copy = new ConsoleClient(this.api, headers);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const value = pair.slice(at + 1);
    const isGone = value === '' || attributes.some((each) => /^expires=thu, 01 jan 1970/i.test(each));
    if (isGone) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), value);
  }
}
