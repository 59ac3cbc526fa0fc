import { AgentAutomation } from '../agent-automation.js';
import { OPERATIONS } from '../generated/operations.js';
import type { Route } from '../operation-types.js';
import { targetOf } from '../request.js';

/** A value that every client method accepts for any parameter: an id, a name, a body, a query or options. */
const ANYTHING: unknown = Object.assign(Object('x') as object, {
  id: 'x',
  run: 'x',
  request_revision: 1,
  secret: 'x',
});

const ROUTES = (Object.keys(OPERATIONS) as Route[]).map((route) => ({ id: OPERATIONS[route], ...targetOf(route) }));

type Method = (...parameters: unknown[]) => unknown;

/** Returns the id of the operation that a request calls. */
function operationOf(method: string, path: string): string | undefined {
  const matches = ROUTES.filter(
    (route) =>
      route.method === method &&
      new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`).test(path),
  );
  // A path without parameters takes precedence over a path with parameters.
  return matches.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]?.id;
}

/** Returns the client methods that call each operation, by operation id. */
export async function methodsByOperation(): Promise<Map<string, string[]>> {
  const called = new Map<string, string[]>();
  let current = '';
  const fetch = (address: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(address);
    const id = operationOf(init?.method ?? 'GET', pathname) ?? `${init?.method ?? ''} ${pathname}`;
    called.set(id, [...(called.get(id) ?? []), current]);
    // Responds to a request for the event stream of a run as if the run had ended, so that the method does not wait.
    return Promise.resolve(pathname.endsWith('/events') && pathname.includes('/runs/') ? gone() : answer());
  };
  const client = new AgentAutomation({ apiKey: 'aas_test_x', baseUrl: 'http://service.test', fetch });
  for (const [name, resource] of Object.entries(client) as [string, object][]) {
    for (const [verb, method] of methodsOf(resource)) {
      current = `${name}.${verb}`;
      await use(method.call(resource, ANYTHING, ANYTHING, ANYTHING, ANYTHING));
    }
  }
  return called;
}

/** Returns the methods of a resource, including those of the generated class that it extends. */
function methodsOf(resource: object): [string, Method][] {
  const prototype = Object.getPrototypeOf(resource) as Record<string, Method>;
  if (Object.is(prototype, Object.prototype)) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((each) => each !== 'constructor');
  return [...methodsOf(prototype), ...own.map((verb): [string, Method] => [verb, prototype[verb]!])];
}

const gone = (): Response => new Response(null, { status: 204 });
const answer = (): Response => Response.json({ data: [], ended_at: '2026-01-31T08:00:00.000Z' });

async function use(result: unknown): Promise<void> {
  if (result !== null && typeof result === 'object' && 'next' in result) {
    await (result as AsyncGenerator).next();
  } else {
    await result;
  }
}
