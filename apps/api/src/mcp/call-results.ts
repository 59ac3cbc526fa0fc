import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { DomainError, type JsonObject } from '@app/kernel';
import { databaseFailure } from '@app/platform/database';
import { RUN_STATUSES, WAIT_REASONS } from '@app/runs';

const nullable = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: 'null' }] });
const TEXT: JsonObject = { type: 'string' };

const object = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** The one shape in which every tool of the work address answers. */
export const RUN_OUTPUT: Tool['outputSchema'] = {
  type: 'object',
  ...object({
    run: { ...TEXT, description: 'Id of the run.' },
    status: { ...TEXT, enum: [...RUN_STATUSES], description: 'Status of the run.' },
    output: { ...nullable({ type: 'object' }), description: 'Output of the run; null until it succeeds.' },
    error: { ...nullable(object({ code: TEXT, message: TEXT })), description: 'Why the run failed.' },
    waiting: {
      ...nullable(object({ for: { ...TEXT, enum: [...WAIT_REASONS] }, until: nullable(TEXT) })),
      description: 'What the run waits for.',
    },
    console_url: { ...nullable(TEXT), description: 'Page for people.' },
  }),
};

/** The code, the explanation and the places of an error of the API. */
export function refusalOf({ code, message: detail, errors }: DomainError): JsonObject {
  return { code, detail, ...(errors.length > 0 && { errors: errors.map((place) => ({ ...place })) }) };
}

/** A refusal before anything began, as the result of a tool. */
function refusedCall(error: DomainError): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(refusalOf(error)) }], isError: true };
}

/** Returns the result of `call`. If the service refuses the call, the result says why. */
export async function answeredCall<T>(call: () => Promise<T>): Promise<T | CallToolResult> {
  try {
    return await call();
  } catch (raised) {
    const error = databaseFailure(raised);
    if (error instanceof DomainError && error.kind !== 'internal') return refusedCall(error);
    throw raised;
  }
}

/** One message for all tools that the caller cannot call, so that it does not reveal which tools exist. */
export function unknownTool(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool.');
}
