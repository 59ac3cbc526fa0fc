import type { Bench, Service, ServiceScenario } from './bench.js';
import { type LoadRequest, sendMany } from './http-load.js';

const CONNECTIONS = 10;
const REQUESTS = 10_000;
const WARM_UP = 500;

/**
 * Compares requests with a browser session and requests with an API key, by throughput and latency. Rounds of the two
 * kinds of request alternate.
 */
export const authentication: ServiceScenario = {
  name: 'authentication',
  onlyWith: 'postgres',
  async run(bench: Bench, service: Service): Promise<void> {
    const { baseUrl, adminKey } = service.stack;
    const url = `${baseUrl}/v1/me`;
    const requests: [string, LoadRequest][] = [
      ['key', { method: 'GET', url, headers: { authorization: `Bearer ${adminKey}` } }],
      ['session', { method: 'GET', url, headers: await sessionHeaders(baseUrl, adminKey) }],
    ];
    for (const [, request] of requests) await sendMany(request, WARM_UP, CONNECTIONS, 200);
    for (let repetition = 0; repetition < bench.repetitions; repetition++) {
      const perSecond: number[] = [];
      for (const [name, request] of requests) {
        const load = await sendMany(request, REQUESTS / bench.divisor, CONNECTIONS, 200);
        perSecond.push(load.perSecond);
        bench.figures.add('authentication', null, `by ${name}`, 'requests/s', load.perSecond);
        bench.figures.add('authentication', null, `by ${name}, p50`, 'ms', load.p50);
      }
      bench.figures.add('authentication', null, 'time by session, of that by key', '×', perSecond[0]! / perSecond[1]!);
    }
  },
};

/** Signs in with the API key. Returns the headers that the console sends, including the session cookie. */
async function sessionHeaders(baseUrl: string, apiKey: string): Promise<Record<string, string>> {
  const console = { origin: baseUrl, 'sec-fetch-site': 'same-origin', 'x-aas-console': '1' };
  const answer = await fetch(`${baseUrl}/auth/key`, {
    method: 'POST',
    headers: { ...console, 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  });
  if (!answer.ok) throw new Error(`The sign-in failed: ${answer.status} ${await answer.text()}`);
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]!);
  return { ...console, cookie: cookies.join('; ') };
}
