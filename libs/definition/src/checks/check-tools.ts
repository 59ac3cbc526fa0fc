import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import { TOOL_TYPES } from '../model/compiled-tool.js';
import { TOOLS } from '../tools/registry.js';
import type { CheckContext } from '../contract/check-context.js';

const MAX_OPERATIONS = 200;

export function checkTools(input: CheckContext): void {
  const { root, compiled, problems } = input;
  if (compiled.operations.size > MAX_OPERATIONS)
    problems.error(
      ['tools'],
      `The tools have ${compiled.operations.size} operations; at most ${MAX_OPERATIONS} are allowed.`,
      'Include fewer operations.',
      'key',
    );
  for (const node of root.items('tools')) {
    TOOLS[node.choice('type', TOOL_TYPES)].check?.(node, input);
    warnAboutPlainCredentials(node, problems);
  }
}

const CREDENTIAL_HEADER = /^(authorization|cookie|proxy-authorization|.*(api[-_]?key|token|secret|password).*)$/i;

/**
 * Warns about a credential in plain text. It is stored with every version, and everyone who may read the agent can see
 * it.
 */
function warnAboutPlainCredentials(node: DefinitionNode, problems: Problems): void {
  const auth = node.optionalChild('auth');
  const inAuth = ['token', 'password', 'value', 'secret_access_key', 'session_token', 'client_secret'].flatMap((key) =>
    auth?.has(key) ? [[key, auth.text(key), auth.pathOf(key)] as const] : [],
  );
  const withHeaders = [node, ...node.items('operations')];
  const inHeaders = withHeaders
    .flatMap((each) => [...each.entries('headers'), ...each.entries('query')])
    .flatMap(([name, value, path]) =>
      typeof value === 'string' && CREDENTIAL_HEADER.test(name) ? [[name, value, path] as const] : [],
    );
  for (const [name, value, path] of [...inAuth, ...inHeaders]) {
    if (value.includes('${{')) continue;
    const detail = `\`${name}\` is written in plain text, so every reader of the agent can read this credential.`;
    problems.warning(
      path,
      detail,
      'Store it as a secret with `PUT /v1/secrets/{name}` and write `"${{ secrets.NAME }}"`.',
    );
  }
}
