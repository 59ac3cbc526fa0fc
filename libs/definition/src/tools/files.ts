import type { JsonObject } from '@app/kernel';
import { schemaValidator } from '@app/json-schema';
import { object, PATTERNS, text } from '../contract/building-blocks.js';
import { DefinitionNode } from '../contract/definition-node.js';
import type { ToolCompilation } from '../contract/tool-compilation.js';
import { connection, describeTarget, type ToolDescriptor, toolName } from '../contract/tool-descriptor.js';
import type { FilesTool, ToolOperation } from '../model/compiled-tool.js';
import { usesTool } from './built-in-use.js';

/** Name of the built-in tool for files. A declared tool with this name takes its place. */
export const FILES_TOOL = 'files';

/** Default and maximum number of characters of a text that is read. */
export const FILE_TEXT_CHARS = { default: 100_000, max: 1_000_000 };

const file: JsonObject = {
  type: ['object', 'string'],
  description: 'A file, or its id.',
  properties: { file: { type: 'string' } },
  required: ['file'],
};
const filename: JsonObject = { type: 'string', minLength: 1, description: 'Name of the file.' };

interface FilesOperation {
  scope: 'read' | 'write';
  description: string;
  schema: JsonObject;
}

const OPERATIONS: Readonly<Record<string, FilesOperation>> = {
  text: {
    scope: 'read',
    description: 'Returns the text of a PDF, Word, HTML, Markdown, text or CSV file.',
    schema: {
      properties: {
        file,
        pages: { type: 'string', description: 'Pages of a PDF, for example 1-3,5. Default: all.' },
        max_chars: {
          type: 'integer',
          minimum: 1,
          maximum: FILE_TEXT_CHARS.max,
          description: `Maximum number of characters. Default: ${FILE_TEXT_CHARS.default}.`,
        },
      },
      required: ['file'],
    },
  },
  create: {
    scope: 'write',
    description: 'Stores a text, a JSON value or base64 bytes as a file and returns it.',
    schema: {
      properties: {
        text: { type: 'string', description: 'Content as a text.' },
        json: { description: 'Content as a JSON value.' },
        base64: { type: 'string', description: 'Content as base64.' },
        filename,
        content_type: { type: 'string', description: 'Media type. It counts only for text.' },
      },
      required: ['filename'],
      oneOf: [{ required: ['text'] }, { required: ['json'] }, { required: ['base64'] }],
    },
  },
  link: {
    scope: 'write',
    description: 'Creates a link that opens a file without a key, and returns its URL.',
    schema: {
      properties: {
        file,
        expires_in: {
          type: 'string',
          pattern: PATTERNS.duration,
          description: 'Time until the link expires, from 1m to 24h. Default: 1h.',
        },
      },
      required: ['file'],
    },
  },
  get: {
    scope: 'read',
    description: 'Returns the name, the type and the size of a file.',
    schema: { properties: { file }, required: ['file'] },
  },
  base64: {
    scope: 'read',
    description: 'Returns the content of a small file as base64.',
    schema: { properties: { file }, required: ['file'] },
  },
};

export const filesTool: ToolDescriptor<'files'> = {
  schema: object(
    'Files of the run. Steps of every agent can also use the built-in tool `files`; models can use it only if `tools` ' +
      'contains it.',
    { name: toolName, type: text('files'), description: connection.description },
    ['name', 'type'],
  ),
  compile: (base, at) => compileFiles(base, at, false),
  check: null,
  target: [],
  describe: describeTarget,
};

/** Returns the built-in tool if the definition uses it and declares no tool with its name; otherwise null. */
export function builtInFiles(
  root: DefinitionNode,
  compilationOf: (node: DefinitionNode) => ToolCompilation,
): FilesTool | null {
  const declared = root.items('tools').some((node) => node.text('name') === FILES_TOOL);
  if (declared || !usesTool(root, FILES_TOOL, Object.keys(OPERATIONS))) return null;
  const at = compilationOf(new DefinitionNode({ name: FILES_TOOL, type: 'files' }, ['tools', FILES_TOOL]));
  return compileFiles(at.base(), at, true);
}

function compileFiles(base: ReturnType<ToolCompilation['base']>, at: ToolCompilation, isBuiltIn: boolean): FilesTool {
  const operations = Object.entries(OPERATIONS).map(([name, operation]): [string, ToolOperation] => [
    name,
    compileOperation(at, name, operation),
  ]);
  return { ...base, kind: 'files', isBuiltIn, operations: new Map(operations) };
}

/** No operation has an effect outside the service, so runs in mode `test` and evaluations make the calls too. */
function compileOperation(at: ToolCompilation, name: string, operation: FilesOperation): ToolOperation {
  const { scope, description, schema } = operation;
  return {
    ...at.operation(new DefinitionNode({}, at.node.path), name, scope),
    effect: scope === 'read' ? 'read' : 'idempotent',
    description,
    request: schemaValidator({ type: 'object', additionalProperties: false, ...schema }),
    isContained: true,
  };
}
