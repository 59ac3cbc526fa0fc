import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { schemaValidator } from '@app/json-schema';
import { choice, list, object, pattern, text } from '../contract/building-blocks.js';
import {
  FILE_FORMS,
  type FileForm,
  MCP_SESSIONS,
  MCP_TRANSPORTS,
  type McpTool,
  type ToolOperation,
} from '../model/compiled-tool.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import { includedOperations } from '../contract/included-operations.js';
import { checkOverrides } from '../contract/operation-checks.js';
import {
  describeTarget,
  type ToolDescriptor,
  connection,
  described,
  mcpOverrides,
  toolName,
} from '../contract/tool-descriptor.js';

/**
 * Types of `auth` that mcp tools do not support. The credentials of an mcp tool must be headers that stay the same
 * during a session.
 */
const NOT_A_HEADER: readonly string[] = ['query', 'aws_sigv4', 'oauth2', 'oauth2_client_credentials'];

export const mcpTool: ToolDescriptor<'mcp'> = {
  schema: object(
    'A server that speaks the Model Context Protocol. An operation is a write operation unless the server annotates it as read-only or `overrides` sets its scope.',
    {
      name: toolName,
      type: text('mcp'),
      transport: choice('How to reach the server. The operator must enable stdio.', MCP_TRANSPORTS),
      url: pattern('URL of the server, for streamable_http.', 'httpUrl'),
      command: text('Program to start, for stdio.'),
      args: list('Arguments of the program.', text('Command-line argument of the program.', { minLength: 0 }), 32),
      session: choice(
        'Whose calls share a session with the server: those of one run, or of all runs of the agent.',
        MCP_SESSIONS,
        { default: 'run' },
      ),
      ...described,
      overrides: mcpOverrides,
      ...connection,
    },
    ['name', 'type', 'transport', 'include'],
    {
      allOf: [
        { if: isTransport('streamable_http'), then: { required: ['url'] } },
        { if: isTransport('stdio'), then: { required: ['command'] } },
      ],
    },
  ),
  compile(base, at) {
    const settings = new Map(at.node.objects('overrides'));
    const overrides = includedOperations(at.node)
      .filter(({ id, name }) => settings.has(id) || settings.has(name))
      .map(({ name }) => name);
    const { operations, ...of } = at.describedOperations();
    return {
      ...base,
      kind: 'mcp',
      transport: compileTransport(at.node),
      session: at.node.choiceOr('session', MCP_SESSIONS, 'run'),
      overrides,
      ...of,
      operations: new Map(
        [...operations].map(([name, each]) => {
          const override = settings.get(name) ?? settings.get(each.id ?? name);
          return [name, override ? withFiles(each, filesOf(override)) : each];
        }),
      ),
    };
  },
  check(node, { problems }) {
    checkOverrides(node, problems);
    const auth = node.optionalChild('auth');
    const type = auth?.text('type') ?? '';
    if (!auth || !NOT_A_HEADER.includes(type)) return;
    const remedy = 'Use `bearer`, `basic` or `header`.';
    problems.error(auth.pathOf('type'), `An MCP server cannot be called with \`type: ${type}\`.`, remedy);
  },
  target: ['url', 'transport', 'command', 'args', 'auth', 'headers'],
  describe: describeTarget,
  compare(before, after) {
    const [was, is] = [before, after].map(({ session = 'run' }) => session);
    if (was === is) return [];
    const change = { kind: 'tool_target_changed', member: 'session' } as const;
    if (is === 'run') return [{ ...change, severity: 'info', message: 'uses a new session for each run.' }];
    const message = 'keeps its sessions for later runs, which can read what the server keeps in a session.';
    return [{ ...change, severity: 'warning', message }];
  },
};

/** Returns a condition that is false if there is no `transport`, so that only `transport` is reported as missing. */
function isTransport(kind: McpTool['transport']['kind']): JsonObject {
  return { properties: { transport: { const: kind } }, required: ['transport'] };
}

function compileTransport(node: DefinitionNode): McpTool['transport'] {
  const kind = node.choice('transport', MCP_TRANSPORTS);
  switch (kind) {
    case 'stdio':
      return { kind, command: node.text('command'), args: node.texts('args') };
    case 'streamable_http':
      return { kind, url: node.text('url') };
  }
}

function filesOf(override: DefinitionNode): Record<string, FileForm> {
  const forms = override.entries('files');
  const named = forms.map(([name, form]) => [name, FILE_FORMS.find((each) => each === form) ?? 'base64'] as const);
  return Object.fromEntries(named);
}

/** In the request, the arguments are files. A list of texts becomes a list of files. */
function withFiles(operation: ToolOperation, files: Record<string, FileForm>): ToolOperation {
  const { request } = operation;
  if (Object.keys(files).length === 0) return operation;
  if (!request) return { ...operation, fileArguments: files };
  const { schema } = request;
  const properties = isJsonObject(schema.properties) ? { ...schema.properties } : {};
  for (const name of Object.keys(files)) properties[name] = fileSchema(properties[name]);
  const changed = schemaValidator({ ...schema, properties });
  return { ...operation, request: changed, fileArguments: files, serverRequest: schema };
}

function fileSchema(given: JsonValue | undefined): JsonObject {
  const { title, description, type } = isJsonObject(given) ? given : {};
  const about = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  return type === 'array' ? { ...about, type, items: { file: {} } } : { ...about, file: {} };
}
