import type { JsonObject } from '@app/kernel';
import { traceViolations } from './trace-contract.js';

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface RunAnswer {
  id: string;
  agent: string;
  status: string;
  output: JsonObject | null;
  error: { code: string; message: string; step: string | null } | null;
  ended_at: string | null;
}

export interface TraceAnswer {
  run: string;
  steps: { n: number; type: string; status: string; path?: string; try?: number; [further: string]: unknown }[];
}

/** On a busy machine, an answer that takes a second takes ten. */
const ANSWER_WITHIN_MS = 60_000;

export class ApiClient {
  constructor(
    /**
     * Returns the URL of the API. It is called before every request, because a restarted API listens on another port.
     */
    private readonly address: () => string,
    readonly key: string,
  ) {}

  async call<Body>(
    method: string,
    path: string,
    body?: JsonObject | readonly JsonObject[],
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(`${this.address()}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    // A response with status 204 has no body.
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? null : JSON.parse(text)) as Body,
    };
  }

  /**
   * Sends a request and returns the body of the response. If the API rejects the request, this method and all methods
   * below reject with the problem document.
   */
  async expect<Body>(method: string, path: string, body?: JsonObject): Promise<Body> {
    const answer = await this.call<Body>(method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  async createAgent(definition: JsonObject): Promise<string> {
    return (await this.expect<{ id: string }>('POST', '/v1/agents', definition)).id;
  }

  startRun(agent: string, input: JsonObject = {}): Promise<RunAnswer> {
    return this.expect('POST', `/v1/agents/${agent}/runs`, { input });
  }

  run(id: string): Promise<RunAnswer> {
    return this.expect('GET', `/v1/runs/${id}`);
  }

  /**
   * Returns the trace of the run. Also rejects if the trace violates the documented contract of traces (see
   * `trace-contract.ts`).
   */
  async trace(id: string): Promise<TraceAnswer> {
    const trace = await this.expect<TraceAnswer>('GET', `/v1/runs/${id}/trace`);
    const violations = traceViolations(trace);
    if (violations.length === 0) return trace;
    throw new Error(`The trace of ${id} breaks the contract: ${violations.join('; ')}\n${JSON.stringify(trace.steps)}`);
  }

  cancel(id: string): Promise<RunAnswer> {
    return this.expect('POST', `/v1/runs/${id}/cancel`, {});
  }
}
