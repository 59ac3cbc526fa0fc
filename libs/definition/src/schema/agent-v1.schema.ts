import type { JsonObject } from '@app/kernel';
import { any, choice, list, number, object, pattern, ref, text, whole } from '../json-schema/building-blocks.js';
import { stepDefinition } from '../steps/registry.js';
import { auth } from '../tools/contract/tool-descriptor.js';
import { operationSchema } from '../tools/http.js';
import { toolSchema } from '../tools/registry.js';
import { evaluationDefinitions, evaluationProperty } from './evaluation.schema.js';
import { ruleDefinitions, ruleProperties } from './rules.schema.js';

const modelChoice = {
  provider: pattern('A provider profile of the installation.', 'toolName'),
  name: text('Name of the model at that provider.'),
};

const modelObject = object(
  'A model and what it falls back to.',
  {
    ...modelChoice,
    fallback: list('Tried in this order when the model cannot answer.', ref('modelChoice'), 5),
    params: object('Passed to the model.', {
      temperature: number('Randomness.', 0, 2),
      top_p: number('Nucleus sampling.', 0, 1),
      max_output_tokens: whole('Longest answer.', 1, 1_000_000),
      seed: whole('For providers that repeat themselves on request.', 0, 4_294_967_295),
      stop: list('Texts that end the answer.', text('One text.'), 8),
    }),
  },
  ['provider', 'name'],
);

/** A text `provider/name` or an object: mistakes are reported for the one that is there. */
function textOrObject(whenText: JsonObject, whenObject: JsonObject): JsonObject {
  return { type: ['string', 'object'], if: { type: 'string' }, then: whenText, else: whenObject };
}

const knowledge = object(
  'A knowledge base that the agent reads. The base must grant it.',
  {
    base: text('Id or unique name.'),
    mode: choice('tool: the model asks. always: retrieved before the first turn.', ['tool', 'always'], {
      default: 'tool',
    }),
    top_k: whole('How many passages.', 1, 50, { default: 8 }),
    citations: choice('Whether the answer must cite.', ['required', 'optional', 'off'], { default: 'optional' }),
  },
  ['base'],
);

/**
 * The whole format `agent/v1` as a JSON Schema 2020-12, for editors (`GET /v1/schemas/agent.v1.json`) and for the first
 * half of validation. What it cannot say (references, expressions, embedded schemas) is checked when compiling.
 */
export const AGENT_V1_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'agent.v1.json',
  title: 'Agent definition, agent/v1',
  ...object(
    'Presence decides the kind. No steps: the model drives a tool loop. Steps without model: a fixed plan, no model is ever called. Both: agent steps inside a fixed plan.',
    {
      schema: any('The format.', { const: 'agent/v1' }),
      name: pattern('Unique among the agents of the workspace.', 'name'),
      description: text('What the agent does.', { minLength: 0 }),
      model: { ...ref('model'), description: 'The model: `provider/name`, or an object.' },
      instructions: text('What the model is told.'),
      knowledge: list('Knowledge bases that the agent reads.', ref('knowledge'), 20),
      tools: list('What the agent can do.', ref('tool'), 50),
      steps: list('The plan, from top to bottom.', ref('step'), 200, { minItems: 1 }),
      on_failure: list('Steps that run when the run fails. They see `error`.', ref('step'), 50, { minItems: 1 }),
      evaluation: evaluationProperty,
      ...ruleProperties,
    },
    ['name'],
  ),
  $defs: {
    model: textOrObject(pattern('`provider/name`.', 'model'), modelObject),
    modelChoice: textOrObject(
      pattern('`provider/name`.', 'model'),
      object('A model.', modelChoice, ['provider', 'name']),
    ),
    knowledge,
    auth,
    operation: operationSchema,
    tool: toolSchema,
    step: stepDefinition,
    ...ruleDefinitions,
    ...evaluationDefinitions,
  },
};
