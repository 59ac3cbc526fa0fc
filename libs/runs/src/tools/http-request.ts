import type { JsonObject, JsonValue } from '@app/kernel';
import { ExpressionError, type HttpCall, type HttpTool, scalarText, type Scope, toolHeaders } from '@app/definition';
import { describedRequest, type HttpRequest } from './described-request.js';

/** Thrown if the request cannot be expressed as an HTTP request of this operation. Nothing is sent. */
export class UnusableRequest extends Error {
  override readonly name = 'UnusableRequest';
}

export type HttpSide = Pick<HttpTool, 'headers' | 'auth'> & { baseUrl: string };

/**
 * Builds the HTTP request of an operation. Path parameters are inserted into the path, percent-encoded. Other
 * properties are placed where the OpenAPI document describes them. Without a description, they are placed in the query
 * (GET, HEAD, DELETE) or in the JSON body.
 * @throws UnusableRequest if a path parameter is missing, empty or a dot segment, or a header cannot be computed
 */
export function buildHttpRequest(tool: HttpSide, call: HttpCall, request: JsonObject, facts: Scope): HttpRequest {
  const rest = new Map(Object.entries(request));
  const path = call.path
    .map((part) => {
      if ('text' in part) return part.text;
      const segment = pathSegment(part.parameter, rest.get(part.parameter));
      rest.delete(part.parameter);
      return segment;
    })
    .join('');
  const url = new URL(tool.baseUrl + path);
  const own = { accept: 'application/json', 'user-agent': 'agent-automation-service' };
  const headers: Record<string, string> = Object.assign(own, headersOf(tool, facts));
  if (call.placement === 'described') return describedRequest(call, url, headers, rest);
  if (call.placement === 'body') {
    const body = JSON.stringify(Object.fromEntries(rest));
    return { method: call.method, url: url.href, headers: { 'content-type': 'application/json', ...headers }, body };
  }
  for (const [name, value] of rest) {
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, scalarText(item));
  }
  return { method: call.method, url: url.href, headers, body: null };
}

function headersOf(tool: HttpSide, facts: Scope): Record<string, string> {
  try {
    return toolHeaders(tool, facts);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new UnusableRequest(`A header cannot be computed: ${error.message}`);
  }
}

/**
 * Encodes a path parameter. Rejects dot segments, because URL parsers resolve them even if they are percent-encoded,
 * and a value must not select another path.
 */
function pathSegment(parameter: string, value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') {
    throw new UnusableRequest(`The path parameter \`${parameter}\` has no value.`);
  }
  const text = scalarText(value);
  if (text === '.' || text === '..')
    throw new UnusableRequest(`The path parameter \`${parameter}\` must not be \`${text}\`.`);
  return encodeURIComponent(text);
}
