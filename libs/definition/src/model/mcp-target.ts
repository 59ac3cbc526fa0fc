import type { JsonValue } from '@app/kernel';
import type { McpTool, ToolAuth } from './compiled-tool.js';
import { ExpressionError, type Scope, type Template } from '@app/cel';

export interface McpServerAddress {
  readonly transport: McpTool['transport'];
  readonly headers: Readonly<Record<string, string>>;
}

/** Computes the address and the headers. Returns undefined if a header cannot be computed from `scope`. */
export function mcpTarget(tool: McpTool, scope: Scope): McpServerAddress | undefined {
  try {
    return { transport: tool.transport, headers: toolHeaders(tool, scope) };
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

function toolHeaders(
  { headers, auth }: { readonly headers: Readonly<Record<string, Template>>; readonly auth: ToolAuth | null },
  scope: Scope,
): Record<string, string> {
  return { ...headerValues(headers, scope), ...credentialHeaders(auth, scope) };
}

/**
 * Computes headers. Their names are in lower case. A header whose value is null is left out.
 * @throws ExpressionError
 */
export function headerValues(headers: Readonly<Record<string, Template>>, scope: Scope): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, template]) => {
      const value = template.evaluate(scope);
      return value === null ? [] : [[name.toLowerCase(), scalarText(value)]];
    }),
  );
}

/**
 * Returns the credentials that are sent as headers. The caller must add all other credentials to the request.
 * @throws ExpressionError
 */
export function credentialHeaders(auth: ToolAuth | null, scope: Scope): Record<string, string> {
  const value = (template: Template): string => scalarText(template.evaluate(scope));
  switch (auth?.kind) {
    case 'bearer':
      return { authorization: `Bearer ${value(auth.token)}` };
    case 'header':
      return { [auth.name.toLowerCase()]: value(auth.value) };
    case 'basic': {
      const bytes = new TextEncoder().encode(`${value(auth.username)}:${value(auth.password)}`);
      return { authorization: `Basic ${btoa(String.fromCodePoint(...bytes))}` };
    }
    case 'query':
    case 'aws_sigv4':
    case 'oauth2':
    case 'oauth2_client_credentials':
    case undefined:
      return {};
  }
}
export function scalarText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
