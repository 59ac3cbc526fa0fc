const ANSWER_WITHIN_MS = 10_000;

export class ServiceClient {
  constructor(
    private readonly address: string,
    private readonly key: string,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path);
  }

  post<T>(path: string, contentType: string, body: string): Promise<T> {
    return this.call<T>('POST', path, contentType, body);
  }

  send<T>(method: 'POST' | 'PUT', path: string, body: object): Promise<T> {
    return this.call<T>(method, path, 'application/json', JSON.stringify(body));
  }

  /** Rejects with an `Error` that contains status and problem if the response is not a success. */
  private async call<T>(method: string, path: string, contentType?: string, body?: string): Promise<T> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(contentType && { 'content-type': contentType }) },
      body,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} responded with status ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }
}
