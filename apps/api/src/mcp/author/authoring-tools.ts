import type { Scope } from '@app/workspace';
import type { JsonObject } from '@app/kernel';
import { waitArgument } from '../held-wait.js';
import { type ArgumentsCheck, argumentsCheck } from '../tool-arguments.js';

export interface AuthoringTool {
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Scopes that the tool needs in addition to that of the address. */
  readonly scopes: readonly Scope[];
  readonly readOnly: boolean;
  readonly check: ArgumentsCheck;
}

/** Time for which `test_definition` holds its answer. */
export const DEFAULT_WAIT = '20s';

const DEFINITION: JsonObject = {
  type: ['string', 'object'],
  description: 'Agent definition in the format agent/v1, as YAML text or as an object.',
};
const AGENT: JsonObject = { type: 'string', minLength: 1, maxLength: 200, description: 'Id or name of the agent.' };
const VERSION: JsonObject = { type: 'integer', minimum: 1, description: 'Number of the version.' };
const RUN: JsonObject = { type: 'string', description: 'Id of the run.' };

function tool(
  description: string,
  properties: JsonObject,
  required: readonly string[],
  { scopes = [], readOnly = false }: Partial<Pick<AuthoringTool, 'scopes' | 'readOnly'>> = {},
): AuthoringTool {
  const inputSchema = { type: 'object', properties, required: [...required], additionalProperties: false };
  return { description, inputSchema, scopes, readOnly, check: argumentsCheck(inputSchema) };
}

/** All tools of the address, in the order of their names. */
export const AUTHORING_TOOLS = {
  create_agent: tool(
    'Creates an agent with this definition as version 1. The agent is paused: a person resumes it in the console.',
    { definition: DEFINITION },
    ['definition'],
  ),
  create_version: tool(
    'Stores a definition as the next version of an agent. The production version does not change: a person promotes.',
    { agent: AGENT, definition: DEFINITION, if_latest: { ...VERSION, description: 'Expected latest version.' } },
    ['agent', 'definition', 'if_latest'],
  ),
  get_definition: tool(
    'Returns the text of a definition, by default of the latest version.',
    { agent: AGENT, version: VERSION },
    ['agent'],
    { readOnly: true },
  ),
  get_evaluation: tool(
    'Returns an evaluation with its results so far. Its status says whether it has ended.',
    { evaluation: { type: 'string', description: 'Id of the evaluation.' } },
    ['evaluation'],
    { readOnly: true },
  ),
  get_guide: tool(
    'Returns a chapter of the guide for writing definitions. Without a topic, the overview. Read it first.',
    { topic: { type: 'string', description: 'Name of the chapter; the overview lists them.' } },
    [],
    { readOnly: true },
  ),
  get_trace: tool(
    'Returns the steps of a run, with requests, summaries of responses and errors.',
    { run: RUN, after_n: { type: 'integer', minimum: 0, description: 'Returns the steps after this position.' } },
    ['run'],
    { scopes: ['runs:read'], readOnly: true },
  ),
  list_agents: tool(
    'Lists the agents, without archived ones.',
    { cursor: { type: 'string', description: 'Value of `next_cursor` of the previous page.' } },
    [],
    { readOnly: true },
  ),
  start_evaluation: tool(
    'Starts the evaluation of a version. Poll get_evaluation for its result.',
    { agent: AGENT, version: VERSION },
    ['agent', 'version'],
    { scopes: ['agents:run'] },
  ),
  test_definition: tool(
    'Runs a definition in mode test: writes are simulated. Returns the run and its steps.',
    {
      definition: DEFINITION,
      input: { type: 'object', description: 'Input of the run.' },
      mock: { type: 'object', description: 'Responses of tools by operation, used instead of calling them.' },
      wait: waitArgument(DEFAULT_WAIT),
    },
    ['definition'],
    { scopes: ['agents:run'] },
  ),
  validate_definition: tool(
    'Checks a definition without storing it. Errors name the place and the remedy. Also compares it with production.',
    { definition: DEFINITION, agent: { ...AGENT, description: 'Agent to compare with; default: that of the name.' } },
    ['definition'],
    { readOnly: true },
  ),
} as const satisfies Record<string, AuthoringTool>;

export type AuthoringToolName = keyof typeof AUTHORING_TOOLS;
