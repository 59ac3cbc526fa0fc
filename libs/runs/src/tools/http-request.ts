import type { JsonObject, JsonValue } from '@app/kernel';
import type { HttpCall, HttpTool } from '@app/agents/definition';

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** The request cannot be put into this operation's URL; nothing is sent. */
export class UnusableRequest extends Error {
  override readonly name = 'UnusableRequest';
}

/**
 * What an operation of an http tool sends for a request object: properties named in the path go there, percent-encoded;
 * the rest is the query of GET, HEAD and DELETE (lists repeat the name) or the JSON body of the other methods.
 * @throws UnusableRequest when a path parameter is missing, empty or a dot segment
 */
export function buildHttpRequest(tool: HttpTool, call: HttpCall, request: JsonObject): HttpRequest {
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
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'agent-automation-service' };
  if (call.placement === 'body') {
    headers['content-type'] = 'application/json';
    return { method: call.method, url: url.href, headers, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  for (const [name, value] of rest) {
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, scalarText(item));
  }
  return { method: call.method, url: url.href, headers, body: null };
}

/** URL parsers resolve dot segments even when they are percent-encoded, and a value must never choose another path. */
function pathSegment(parameter: string, value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') {
    throw new UnusableRequest(`The path parameter \`${parameter}\` has no value.`);
  }
  const text = scalarText(value);
  if (text === '.' || text === '..')
    throw new UnusableRequest(`The path parameter \`${parameter}\` must not be \`${text}\`.`);
  return encodeURIComponent(text);
}

function scalarText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
