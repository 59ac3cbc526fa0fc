import type { JsonValue } from '@app/kernel';
import type { McpTool, ToolAuth } from './compiled-tool.js';
import { ExpressionError, type Scope, type Template } from '../expressions/expression.js';

/** Where the server of an mcp tool is, and the headers of every request to it. */
export interface McpServerAddress {
  readonly transport: McpTool['transport'];
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined when a header cannot be computed from these facts. */
export function mcpTarget(tool: McpTool, facts: Scope): McpServerAddress | undefined {
  try {
    return { transport: tool.transport, headers: toolHeaders(tool, facts) };
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/**
 * What every request of a tool carries, credentials included; names in lower case.
 * @throws ExpressionError
 */
export function toolHeaders(
  { headers, auth }: { readonly headers: Readonly<Record<string, Template>>; readonly auth: ToolAuth | null },
  facts: Scope,
): Record<string, string> {
  const value = (template: Template): string => scalarText(template.evaluate(facts));
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
