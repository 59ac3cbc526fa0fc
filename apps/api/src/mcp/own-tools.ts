import type { Tool } from '@modelcontextprotocol/server';
import type { JsonObject } from '@app/kernel';
import type { Scope } from '@app/workspace';
import { RUN_OUTPUT } from './call-results.js';
import { waitArgument } from './held-wait.js';
import { type ArgumentsCheck, argumentsCheck } from './tool-arguments.js';

interface OwnTool {
  /** The scope that the tool needs. */
  scope: Scope;
  tool: Tool;
  check: ArgumentsCheck;
}

const RUN_ID: JsonObject = { type: 'string', description: 'Id of a run that you started here: `run_…`.' };

function ownTool(scope: Scope, properties: JsonObject, about: Omit<Tool, 'inputSchema'>): OwnTool {
  const inputSchema = { type: 'object' as const, properties, required: ['run'], additionalProperties: false };
  return { scope, tool: { ...about, inputSchema, outputSchema: RUN_OUTPUT }, check: argumentsCheck(inputSchema) };
}

/** The tools of the service itself. */
export const OWN_TOOLS = {
  cancel_run: ownTool(
    'runs:cancel',
    { run: RUN_ID },
    {
      name: 'cancel_run',
      description: 'Cancels a run that has not ended.',
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
  ),
  get_run: ownTool(
    'runs:read',
    { run: RUN_ID, wait: waitArgument('0s') },
    {
      name: 'get_run',
      description: 'Returns a run that a tool started, and can wait for its end.',
      annotations: { readOnlyHint: true },
    },
  ),
} as const satisfies Record<string, OwnTool>;
