import type { JsonObject, JsonValue } from '@app/kernel';
import { ExpressionError, type HttpCall, type HttpTool, type Scope, type Template } from '@app/agents/definition';

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
 * @throws UnusableRequest when a path parameter is missing, empty or a dot segment, or a header cannot be computed
 */
export function buildHttpRequest(tool: HttpTool, call: HttpCall, request: JsonObject, facts: Scope): HttpRequest {
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
  const headers = { accept: 'application/json', 'user-agent': 'agent-automation-service', ...toolHeaders(tool, facts) };
  if (call.placement === 'body') {
    const body = JSON.stringify(Object.fromEntries(rest));
    return { method: call.method, url: url.href, headers: { 'content-type': 'application/json', ...headers }, body };
  }
  for (const [name, value] of rest) {
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, scalarText(item));
  }
  return { method: call.method, url: url.href, headers, body: null };
}

function toolHeaders({ headers, auth }: HttpTool, facts: Scope): Record<string, string> {
  const computed = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), headerText(value, facts)] as const,
  );
  if (auth?.kind === 'bearer') computed.push(['authorization', `Bearer ${headerText(auth.token, facts)}`]);
  if (auth?.kind === 'header') computed.push([auth.name.toLowerCase(), headerText(auth.value, facts)]);
  if (auth?.kind === 'basic') {
    const credentials = `${headerText(auth.username, facts)}:${headerText(auth.password, facts)}`;
    computed.push(['authorization', `Basic ${Buffer.from(credentials).toString('base64')}`]);
  }
  return Object.fromEntries(computed);
}

function headerText(template: Template, facts: Scope): string {
  try {
    return scalarText(template.evaluate(facts));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new UnusableRequest(`A header cannot be computed: ${error.message}`);
  }
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
