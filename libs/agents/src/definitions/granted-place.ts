import type { CompiledTool } from '@app/definition';
import type { ErrorPlace } from '@app/kernel';
import type { SubmittedDefinition } from './submitted-definition.js';

interface GrantedPlace {
  what: string;
  at: Pick<ErrorPlace, 'pointer' | 'line' | 'column' | 'excerpt'>;
}

export function grantedPlace({
  secrets,
  connections,
  knowledge,
  compiled,
}: Pick<SubmittedDefinition, 'secrets' | 'connections' | 'knowledge' | 'compiled'>): GrantedPlace | undefined {
  const [secret] = secrets;
  if (secret) return { what: `the secret ${secret.name}`, at: secret.place() };
  const [connection] = connections;
  if (connection) return { what: `the connection ${connection.connection}`, at: connection.place() };
  const [base] = knowledge;
  if (base) return { what: `the knowledge base ${base.base}`, at: base.place() };
  for (const tool of compiled.tools.values()) {
    const what = grantedTool(tool);
    if (what !== undefined) return { what, at: { pointer: '/tools' } };
  }
  return undefined;
}

function grantedTool(tool: CompiledTool): string | undefined {
  switch (tool.kind) {
    case 'agent':
      return `the agent ${tool.agent}`;
    case 'state':
      return tool.scope === 'workspace' ? "the workspace's state" : undefined;
    case 'postgres':
    case 'mysql':
      return `the secret ${tool.dsnSecret}`;
    default:
      return undefined;
  }
}
