import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { DomainError, type JsonObject } from '@app/kernel';
import { databaseFailure } from '@app/platform/database';
import type { Principal } from '@app/workspace';
import type { ApiRequest } from '../http/request-context.js';

/** `modern`: revision 2026-07-28, each request describes itself. `legacy`: the revisions that begin with `initialize`. */
export type McpEra = 'modern' | 'legacy';

/** One request of a client. A legacy batch contains several messages. */
export interface McpExchange {
  readonly principal: Principal;
  readonly request: ApiRequest;
  readonly era: McpEra;
  /** The body as it arrived, for checks that need the exact text. */
  readonly text: string;
  readonly idempotencyKey: string | undefined;
  /** Aborts when the client has closed the connection. */
  readonly gone: AbortSignal;
}

/** What one address of the MCP server offers. `McpEndpointService` serves it. */
export interface McpAddress {
  /** At most 1 000 characters. */
  readonly instructions: string;
  capabilities(era: McpEra): ServerCapabilities;
  /** Registers the methods of the address. Called for each request. */
  register(server: McpAddressServer, exchange: McpExchange): void;
}

type Handler = (params: JsonObject, context: ServerContext) => Result | Promise<Result>;
/** The package keeps this class for servers that need more than its `McpServer`, which has no tools with tasks. */
// oxlint-disable-next-line typescript/no-deprecated -- see above
const LowLevelServer = Server;
type WrappedHandler = Parameters<InstanceType<typeof LowLevelServer>['_wrapHandler']>[1];

/** Passes parameters on. Each method checks the members that it reads, with the errors of this service. */
const UNCHECKED: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'agent-automation-service',
    validate: (value) => ({ value: value as JsonObject }),
  },
};

/** Answers the messages of one request. */
export class McpAddressServer extends LowLevelServer {
  /** Reports an error of the service, of which the client learns nothing. */
  report: (error: unknown) => void = () => undefined;

  handle(method: string, handler: Handler): void {
    this.setRequestHandler(method, { params: UNCHECKED }, async (params, context) => {
      try {
        return await handler(params, context);
      } catch (error) {
        throw this.explained(error);
      }
    });
  }

  private explained(raised: unknown): ProtocolError {
    if (raised instanceof ProtocolError) return raised;
    const error = databaseFailure(raised);
    if (error instanceof DomainError && error.kind !== 'internal')
      return new ProtocolError(ProtocolErrorCode.InternalError, error.message, { code: error.code });
    this.report(raised);
    return new ProtocolError(ProtocolErrorCode.InternalError, 'The service failed. Try again later.');
  }

  /** Leaves results as the handlers return them. The package would take a task for a tool result without content. */
  protected override _wrapHandler(_method: string, handler: WrappedHandler): WrappedHandler {
    return handler;
  }
}
