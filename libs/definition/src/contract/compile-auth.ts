import type { JsonValue } from '@app/kernel';
import {
  AUTH_TYPES,
  CLIENT_AUTHENTICATIONS,
  type ClientCredentialsAuth,
  type ConnectionAuth,
  type ToolAuth,
} from '../model/compiled-tool.js';
import type { CompileContext, ScopeExtras } from './compile-context.js';
import type { DefinitionNode } from './definition-node.js';
import type { Path } from './problems.js';
import type { Template } from '@app/cel';

export interface AuthCompilation {
  readonly node: DefinitionNode;
  readonly context: CompileContext;
  recordSecrets(path: Path): ScopeExtras;
}

export function compileAuth(at: AuthCompilation): ToolAuth | null {
  const auth = at.node.optionalChild('auth');
  if (!auth) return null;
  const template = (key: string): Template =>
    at.context.template(auth.text(key), auth.pathOf(key), 'toolAuth', at.recordSecrets(auth.pathOf(key)));
  const kind = auth.choice('type', AUTH_TYPES);
  switch (kind) {
    case 'bearer':
      return { kind, token: template('token') };
    case 'basic':
      return { kind, username: template('username'), password: template('password') };
    case 'header':
    case 'query':
      return { kind, name: auth.text('name'), value: template('value') };
    case 'aws_sigv4':
      return {
        kind,
        accessKeyId: template('access_key_id'),
        secretAccessKey: template('secret_access_key'),
        sessionToken: auth.has('session_token') ? template('session_token') : null,
        region: template('region'),
        service: template('service'),
      };
    case 'oauth2':
      return connectionAuth(auth, at);
    case 'oauth2_client_credentials':
      return clientCredentials(auth, at);
  }
}

/** `connection` must be a constant, so that it can be checked before a run, and data cannot choose another account. */
function connectionAuth(auth: DefinitionNode, at: AuthCompilation): ConnectionAuth {
  const connection = auth.text('connection');
  if (connection.includes('${{')) {
    const detail = '`connection` is the name of a connection and cannot contain an expression.';
    at.context.problems.error(auth.pathOf('connection'), detail, 'Write the name, for example `connection: crm`.');
  }
  return { kind: 'oauth2', connection };
}

/**
 * The templates of client credentials may read only secrets. Otherwise, data could decide to which address the
 * credentials are sent.
 */
function clientCredentials(auth: DefinitionNode, at: AuthCompilation): ClientCredentialsAuth {
  const secretsOnly = (value: JsonValue, path: Path): Template => {
    const data = new Set<string>();
    const onMention = (name: string): void => {
      if (name !== 'secrets') data.add(name);
    };
    const template = at.context.template(value, path, 'toolAuth', { ...at.recordSecrets(path), onMention });
    const [first] = data;
    if (first !== undefined) {
      const detail = `The credentials of an OAuth client can only read secrets, not \`${first}\`.`;
      at.context.problems.error(path, detail, 'Write a constant or `${{ secrets.NAME }}`.');
    }
    return template;
  };
  const template = (key: string): Template => secretsOnly(auth.text(key), auth.pathOf(key));
  const parameters = auth.entries('parameters').map(([name, value, path]) => [name, secretsOnly(value, path)]);
  return {
    kind: 'oauth2_client_credentials',
    tokenUrl: template('token_url'),
    clientId: template('client_id'),
    clientSecret: template('client_secret'),
    scopes: auth.texts('scopes'),
    parameters: Object.fromEntries(parameters) as Record<string, Template>,
    clientAuthentication: auth.choiceOr('client_authentication', CLIENT_AUTHENTICATIONS, 'basic'),
  };
}
