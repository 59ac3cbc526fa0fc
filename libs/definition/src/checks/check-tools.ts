import type { DefinitionNode } from '../compile/context/definition-node.js';
import type { Problems } from '../compile/context/problems.js';
import { TOOL_TYPES } from '../model/compiled-tool.js';
import { TOOLS } from '../tools/registry.js';
import type { CheckContext } from './contract/check-context.js';

const MAX_OPERATIONS = 200;

/** Tools whose operations contradict themselves, or could not be called. */
export function checkTools(input: CheckContext): void {
  const { root, compiled, problems } = input;
  if (compiled.operations.size > MAX_OPERATIONS)
    problems.error(['tools'], `There are more than ${MAX_OPERATIONS} operations.`, 'Include fewer.', 'key');
  for (const node of root.items('tools')) {
    TOOLS[node.choice('type', TOOL_TYPES)].check?.(node, input);
    warnAboutPlainCredentials(node, problems);
  }
}

const CREDENTIAL_HEADER = /^(authorization|cookie|proxy-authorization|.*(api-?key|token|secret|password).*)$/i;

/** A credential that is part of the definition is stored with every version and shown to each person who may read agents. */
function warnAboutPlainCredentials(node: DefinitionNode, problems: Problems): void {
  const auth = node.optionalChild('auth');
  const inAuth = ['token', 'password', 'value'].flatMap((key) =>
    auth?.has(key) ? [[key, auth.text(key), auth.pathOf(key)] as const] : [],
  );
  const inHeaders = node
    .entries('headers')
    .flatMap(([name, value, path]) =>
      typeof value === 'string' && CREDENTIAL_HEADER.test(name) ? [[name, value, path] as const] : [],
    );
  for (const [name, value, path] of [...inAuth, ...inHeaders]) {
    if (value.includes('${{')) continue;
    const detail = `\`${name}\` is plain text: each person who may read the agent can read it.`;
    problems.warning(path, detail, 'Store it with `PUT /v1/secrets/{name}` and write `"${{ secrets.NAME }}"`.');
  }
}
