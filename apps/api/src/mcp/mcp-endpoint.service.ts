import { Inject, Injectable } from '@nestjs/common';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Response as ExpressResponse } from 'express';
import { DomainError } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import type { Principal } from '@app/workspace';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { readJsonText } from '../http/json-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { type McpAddress, McpAddressServer, type McpEra } from './mcp-address.js';

const SERVER_INFO = { name: 'agent-automation-service', title: 'Agent Automation Service', version: '1' };
/** The first is offered to clients that ask for any other revision. */
const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];

export interface McpCall {
  principal: Principal;
  request: ApiRequest;
  response: ExpressResponse;
  /** Maximum size of the body in bytes. */
  limit: number;
}

/** Serves the addresses of the MCP server over HTTP, in both eras of the protocol and without sessions. */
@Injectable()
export class McpEndpointService {
  constructor(
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns the body of the response, and sets its status and type. What is no message of the protocol is a problem
   * document.
   * @throws DomainError `cross_site`, `unsupported_media_type`, `payload_too_large`
   */
  async answer(offered: McpAddress, { principal, request, response, limit }: McpCall): Promise<string | undefined> {
    this.assertOwnOrigin(request);
    const idempotencyKey = readIdempotencyKey(request);
    const text = await readJsonText(request, limit);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const serverFor = (era: McpEra): McpAddressServer => {
      const { instructions } = offered;
      const server = new McpAddressServer(SERVER_INFO, {
        capabilities: offered.capabilities(era),
        instructions,
        ...(era === 'legacy' && { supportedProtocolVersions: LEGACY_REVISIONS }),
      });
      server.report = (error) => this.logger.error({ err: error }, 'mcp: call failed');
      offered.register(server, { principal, request, era, text, idempotencyKey, gone: gone.signal });
      return server;
    };
    const answer = await this.serve(serverFor, webRequest(request, this.address.publicUrl, text), text);
    response.status(answer.status);
    if (answer.body === null) return undefined;
    response.setHeader('Content-Type', answer.headers.get('content-type') ?? 'application/json');
    return answer.text();
  }

  private async serve(serverFor: (era: McpEra) => McpAddressServer, request: Request, text: string): Promise<Response> {
    const body = parsed(text);
    const options: McpHandlerRequestOptions = body === undefined ? {} : { parsedBody: body };
    if (body !== undefined && (await isLegacyRequest(request, body))) {
      return serveLegacy(serverFor('legacy'), request, options);
    }
    const onerror = (error: Error): void => this.logger.debug({ err: error }, 'mcp: message refused');
    // No notification is ever sent, so no stream of them is opened.
    const handler = createMcpHandler(() => serverFor('modern'), { legacy: 'reject', maxSubscriptions: 0, onerror });
    return handler.fetch(request, options);
  }

  private assertOwnOrigin({ headers: { origin, host = '' } }: ApiRequest): void {
    const own = [new URL(this.address.publicUrl).origin, `http://${host}`, `https://${host}`];
    if (origin === undefined || own.includes(origin)) return;
    throw new DomainError(
      'cross_site',
      'A page of another site cannot call this address. Call it from a client without `Origin`.',
    );
  }
}

/** Answers with JSON and not with a stream, because nothing precedes an answer. */
async function serveLegacy(
  server: McpAddressServer,
  request: Request,
  options: McpHandlerRequestOptions,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, options);
  } finally {
    await server.close();
  }
}

function webRequest({ headers }: ApiRequest, base: string, text: string): Request {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of [value ?? []].flat()) given.append(name, each);
  }
  // The length of the body may differ after decoding.
  given.delete('content-length');
  return new Request(base, { method: 'POST', headers: given, body: text });
}

/** Undefined if the text is not JSON; the package then answers with a parse error. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
