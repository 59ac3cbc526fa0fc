import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Clock, DomainError } from '@app/kernel';
import { extendContext, type Histograms, type Logger, type Tracing } from '@app/platform/observability';
import type { EmergencyStopService } from '@app/runs/emergency-stop';
import { presentStop } from '../emergency-stop/emergency-stop.view.js';
import { readStopBody, STOP_ACCESS, stopOrder } from '../emergency-stop/stop-request.js';
import { urgentAccess } from '../http/access.js';
import type { CallerAccessService } from '../http/caller-access.service.js';
import { hardenHttpServer } from '../http/http-server-limits.js';
import { refuseParameters } from '../http/invalid-request.js';
import { failureOf, logFailure, sendProblem, unknownRoute } from '../http/problem-response.js';
import { requestContext, type ServedRequest } from '../http/request-context.js';
import { securityHeaders } from '../http/security-headers.js';
import { permitConsole } from './console-origin.js';
import type { WatchedHealth } from './watched-health.js';

export interface StopServerParts {
  callers: CallerAccessService;
  stops: EmergencyStopService;
  health: WatchedHealth;
  publicUrl: string;
  logger: Logger;
  metrics: Histograms;
  clock: Clock;
  tracing: Tracing;
}

interface Answer {
  type: string;
  text: string;
}

interface StopRoute {
  method: 'GET' | 'POST';
  answer: (request: ServedRequest, response: ServerResponse, parts: StopServerParts) => Answer | Promise<Answer>;
}

const JSON_TYPE = 'application/json; charset=utf-8';

const ROUTES: ReadonlyMap<string, StopRoute> = new Map<string, StopRoute>([
  ['/v1/workspace/emergency-stop', { method: 'POST', answer: stopWorkspace }],
  ['/healthz', { method: 'GET', answer: (_request, _response, { health }) => liveness(health) }],
  [
    '/metrics',
    {
      method: 'GET',
      answer: async (_request, _response, { health }) => {
        const { contentType, text } = await health.renderMetrics();
        return { type: contentType, text };
      },
    },
  ],
]);
const HINT = `This port serves only ${[...ROUTES].map(([path, { method }]) => `${method} ${path}`).join(', ')}.`;

/**
 * Creates the HTTP server of the stop listener. It uses neither Nest nor Express: a thread with them needs four times
 * the memory. Its limits, headers, errors and log lines are those of the API.
 */
export function createStopServer(parts: StopServerParts): Server {
  const begin = requestContext(parts.logger, parts.metrics, parts.clock, parts.tracing);
  const secure = securityHeaders();
  const server = createServer((incoming, response) => {
    const request: ServedRequest = Object.assign(incoming, { id: '', path: pathOf(incoming) });
    begin(request, response, (complaint) =>
      secure(request, response, () => void serve(request, response, parts, complaint)),
    );
  });
  hardenHttpServer(server);
  return server;
}

/** Returns the path of the URL, which a proxy may send in the absolute form. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '').replace(/[?#].*$/s, '');
  return path === '' ? '/' : path;
}

async function serve(
  request: ServedRequest,
  response: ServerResponse,
  parts: StopServerParts,
  complaint: DomainError | undefined,
): Promise<void> {
  try {
    if (complaint) throw complaint;
    if (permitConsole(request, response, parts.publicUrl)) return;
    const { type, text } = await findRoute(request, response).answer(request, response, parts);
    const body = Buffer.from(text);
    response.setHeader('Content-Type', type).setHeader('Content-Length', body.length).end(body);
  } catch (error) {
    const failure = failureOf(error);
    logFailure(parts.logger, error, failure, request.id);
    sendProblem(response, failure, request);
  }
}

/** @throws DomainError `not_found`, `method_not_allowed` */
function findRoute(request: ServedRequest, response: ServerResponse): StopRoute {
  const { method = '', path } = request;
  const served = path.length > 1 ? path.replace(/\/$/, '') : path;
  const route = ROUTES.get(served);
  if (!route || (method === 'HEAD' ? 'GET' : method) !== route.method) {
    const allowed = route && (route.method === 'GET' ? 'GET, HEAD' : route.method);
    throw unknownRoute(response, { method, path }, allowed, HINT);
  }
  request.route = { path: served };
  return route;
}

/** Like `EmergencyStopController.stopWorkspace` of the API, with its guards. */
async function stopWorkspace(
  request: ServedRequest,
  response: ServerResponse,
  { callers, stops }: StopServerParts,
): Promise<Answer> {
  const access = urgentAccess(...STOP_ACCESS);
  const principal = await callers.authenticate(request, response, access);
  request.principal = principal;
  extendContext({ workspaceId: principal.workspaceId });
  await callers.authorize(principal, access);
  refuseParameters(parse(request.url?.split('?')[1] ?? ''));
  const order = stopOrder(principal, await readStopBody(request));
  const stopped = presentStop(await stops.stopWorkspace(principal.workspaceId, order));
  return { type: JSON_TYPE, text: JSON.stringify(stopped) };
}

function liveness(health: WatchedHealth): Answer {
  health.assertHealthy();
  return { type: JSON_TYPE, text: JSON.stringify({ status: 'ok', stop_port: health.stopPort }) };
}
