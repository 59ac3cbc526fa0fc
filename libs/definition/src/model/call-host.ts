import type { JsonValue } from '@app/kernel';
import { ExpressionError, type Scope } from '@app/cel';
import { hostText } from './allowed-hosts.js';
import type { CompiledTool, ToolOperation } from './compiled-tool.js';
import type { ComputedUrl } from './custom-request.js';
import { scalarText } from './mcp-target.js';

/**
 * Returns the host of a call, with the port if it is not the default port. Returns null if the tool has no host, if a
 * secret may be a part of the host, or if the host cannot be computed.
 */
export function hostOfCall(tool: CompiledTool | undefined, operation: ToolOperation, scope: Scope): string | null {
  const url = tool && addressOf(tool, operation);
  if (!url) return null;
  try {
    return parsedHost(typeof url === 'string' ? url : knownBeginning(url, scope));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return null;
  }
}

function addressOf(tool: CompiledTool, { http }: ToolOperation): string | ComputedUrl | null {
  switch (tool.kind) {
    case 'http':
    case 'openapi':
      return tool.baseUrl ?? http?.baseUrl ?? null;
    case 'mcp':
      return tool.transport.kind === 'streamable_http' ? tool.transport.url : null;
    case 'email':
    case 'agent':
    case 'postgres':
    case 'mysql':
    case 'state':
    case 'files':
    case 'knowledge':
      return null;
  }
}

function knownBeginning({ parts }: ComputedUrl, scope: Scope): string | null {
  let text = '';
  for (const part of parts) {
    if ('text' in part) text += part.text;
    else if (part.isSecret) return /^https?:\/\/[^/\\?#]+[/\\?#]/i.test(text) ? text : null;
    else text += scalarText(part.value.evaluate(scope));
  }
  return text;
}

function parsedHost(text: JsonValue): string | null {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  return hostText(new URL(text));
}
