import { choice, object, text } from '../contract/building-blocks.js';
import { OPERATION_SCOPES, type ToolOperation } from '../model/compiled-tool.js';
import type { ToolCompilation } from '../contract/tool-compilation.js';
import { describeTarget, type ToolDescriptor, connection, simulate, toolName } from '../contract/tool-descriptor.js';

const OPERATION = 'run';

export const agentTool: ToolDescriptor<'agent'> = {
  schema: object(
    'Another agent of the workspace. The only operation is `run`: the request is the input of that agent, and the response is its output.',
    {
      name: toolName,
      type: text('agent'),
      description: connection.description,
      agent: text('Id or name of the agent; its production version runs.', { maxLength: 80 }),
      scope: choice(
        'Scope of the tool: `read` if a run of the agent changes nothing, otherwise `write`. Default: write.',
        OPERATION_SCOPES,
      ),
      simulate,
    },
    ['name', 'type', 'agent'],
  ),
  compile(base, at) {
    const operations = new Map([[OPERATION, compileOperation(at)]]);
    return { ...base, kind: 'agent', agent: at.node.text('agent'), operations };
  },
  check: null,
  target: ['agent'],
  describe: describeTarget,
};

/** If the outcome of a start is unknown, the start is retried. The idempotency key ensures that only one run starts. */
function compileOperation(at: ToolCompilation): ToolOperation {
  const operation = at.operation(at.node, OPERATION, 'write');
  const effect = operation.scope === 'read' ? 'read' : 'idempotent';
  return { ...operation, effect, description: at.node.optionalText('description') };
}
