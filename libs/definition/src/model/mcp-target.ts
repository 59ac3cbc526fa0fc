import type { JsonValue } from '@app/kernel';
import type { McpTool, ToolAuth } from './compiled-tool.js';
import { ExpressionError, type Scope, type Template } from '../expressions/expression.js';

/** The address of an MCP server and the headers of every request to it. */
export interface McpServerAddress {
  readonly transport: McpTool['transport'];
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns undefined if a header cannot be computed in this scope. */
export function mcpTarget(tool: McpTool, scope: Scope): McpServerAddress | undefined {
  try {
    return { transport: tool.transport, headers: toolHeaders(tool, scope) };
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/**
 * Computes the headers of every request of a tool, including credentials. Names are in lower case.
 * @throws ExpressionError
 */
export function toolHeaders(
  { headers, auth }: { readonly headers: Readonly<Record<string, Template>>; readonly auth: ToolAuth | null },
  scope: Scope,
): Record<string, string> {
  const value = (template: Template): string => scalarText(template.evaluate(scope));
  const computed = Object.entries(headers).map(([name, template]) => [name.toLowerCase(), value(template)] as const);
  if (auth?.kind === 'bearer') computed.push(['authorization', `Bearer ${value(auth.token)}`]);
  if (auth?.kind === 'header') computed.push([auth.name.toLowerCase(), value(auth.value)]);
  if (auth?.kind === 'basic') {
    const bytes = new TextEncoder().encode(`${value(auth.username)}:${value(auth.password)}`);
    computed.push(['authorization', `Basic ${btoa(String.fromCodePoint(...bytes))}`]);
  }
  return Object.fromEntries(computed);
}

export function scalarText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
