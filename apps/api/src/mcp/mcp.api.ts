import { ApiBody, ApiHeader } from '@nestjs/swagger';
import type { ErrorCode } from '@app/kernel';
import { REPEATABLE, type RouteInput } from '../http/route-inputs.js';
import type { OperationDescription } from '../openapi/operation.js';

/** Size of a message without its arguments, in bytes. */
export const MAX_ENVELOPE_BYTES = 64 * 1024;

const MESSAGE = { type: 'object', additionalProperties: true } as const;

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** The endpoint reads the body itself: only the protocol describes it. */
export const MCP_BODY: RouteInput = {
  ...REPEATABLE,
  parts: [
    ...(REPEATABLE.parts ?? []),
    ApiHeader({
      name: 'MCP-Protocol-Version',
      required: false,
      description: 'Revision of the protocol. Required from revision 2026-07-28.',
      schema: { type: 'string', example: '2026-07-28' },
    }),
    ApiBody({
      required: true,
      description: 'A JSON-RPC message of the Model Context Protocol.',
      schema: { ...MESSAGE, example: LIST_TOOLS },
    }),
  ],
  problems: ['payload_too_large', 'unsupported_media_type'],
};

export const MCP_ANSWERS: Pick<OperationDescription, 200> = {
  200: {
    description:
      'The JSON-RPC response. Errors of the protocol have the status that the protocol demands. A notification is ' +
      'answered with 202 and no body.',
    content: { 'application/json': { schema: MESSAGE, example: { jsonrpc: '2.0', id: 1, result: { tools: [] } } } },
  },
};

export const MCP_PROBLEMS: readonly ErrorCode[] = ['cross_site'];
