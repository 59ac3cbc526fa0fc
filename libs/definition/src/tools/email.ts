import type { JsonObject } from '@app/kernel';
import { DefinitionNode } from '../compile/context/definition-node.js';
import { list, object, pattern, text } from '../json-schema/building-blocks.js';
import type { ToolOperation } from '../model/compiled-tool.js';
import type { ToolCompilation } from './contract/tool-compilation.js';
import { describeTarget, type ToolDescriptor, connection, toolName } from './contract/tool-descriptor.js';

const OPERATION = 'send';

/** Sends e-mail through the relay of the installation. */
export const emailTool: ToolDescriptor<'email'> = {
  schema: object(
    'Sends e-mail through the mail relay of the installation. The only operation is `send`.',
    {
      name: toolName,
      type: text('email'),
      description: connection.description,
      to: list('Addresses that the tool may send to.', pattern('E-mail address.', 'email'), 50, {
        minItems: 1,
        uniqueItems: true,
      }),
    },
    ['name', 'type', 'to'],
  ),
  compile(base, at) {
    const to = at.node.has('to') ? at.node.texts('to') : null;
    return { ...base, kind: 'email', to, operations: new Map([[OPERATION, compileOperation(at, to)]]) };
  },
  check: null,
  target: ['to'],
  describe: describeTarget,
};

function compileOperation(at: ToolCompilation, recipients: readonly string[] | null): ToolOperation {
  const operation = at.operation(new DefinitionNode({}, at.node.path), OPERATION, 'write');
  return {
    ...operation,
    description: at.node.optionalText('description'),
    request: at.context.schema(requestOf(recipients), []),
  };
}

/**
 * The request schema. `to` and `cc` choose among the recipients of the tool. Without them all recipients get the mail.
 */
function requestOf(recipients: readonly string[] | null): JsonObject {
  const address: JsonObject = recipients ? { enum: [...recipients] } : { type: 'string', maxLength: 254 };
  const addresses: JsonObject = {
    anyOf: [address, { type: 'array', items: address, minItems: 1, maxItems: 50, uniqueItems: true }],
  };
  return {
    type: 'object',
    required: ['subject', 'text'],
    additionalProperties: false,
    properties: {
      to: { description: 'An address or a list of addresses. Left out: all recipients of the tool.', ...addresses },
      cc: { description: 'An address or a list of addresses that get a copy.', ...addresses },
      // A line break could start a new header.
      subject: { type: 'string', minLength: 1, maxLength: 500, pattern: '^[^\\x00-\\x1f\\x7f]*$' },
      text: { type: 'string', maxLength: 100_000 },
      html: { type: 'string', maxLength: 200_000 },
    },
  };
}
