import { EFFORT_LEVELS, type JsonObject } from '@app/kernel';
import {
  any,
  choice,
  list,
  number,
  object,
  pattern,
  ref,
  text,
  textOrObject,
  whole,
} from '../contract/building-blocks.js';
import { stepDefinition } from '../steps/registry.js';
import { CACHE_MODES, MODEL_FILES } from '../model/compiled-definition.js';
import { auth } from '../contract/auth-schema.js';
import { operationSchema } from '../tools/http.js';
import { toolSchema } from '../tools/registry.js';
import { sqlOperationSchema } from '../tools/sql.js';
import { exposeSchema } from '../expose/mcp-exposure.js';
import { evaluationDefinitions, evaluationProperty } from './evaluation.schema.js';
import { ruleDefinitions, ruleProperties } from './rules.schema.js';

const modelChoice = {
  provider: pattern('Name of a provider profile of the installation, which MODEL_PROVIDERS configures.', 'toolName'),
  name: text('Name of the model at that provider.'),
};

const modelObject = object(
  'A model and its fallbacks.',
  {
    ...modelChoice,
    fallback: list('Models to try, in this order, if the first model is not available.', ref('modelChoice'), 5),
    fallback_on: list('Further reasons for a fallback.', choice('The model refuses.', ['refused']), 1),
    files: choice(
      'How the model sees files in its input. auto: as images and documents if it reads them, else as text. text: always as text. off: by name only.',
      MODEL_FILES,
      { default: 'auto' },
    ),
    params: object('Sampling and output parameters that are sent to the model.', {
      temperature: number('Randomness of the output; 0 is the lowest.', 0, 2),
      top_p: number('Probability mass for nucleus sampling.', 0, 1),
      max_output_tokens: whole('Maximum length of a response, in tokens.', 1, 1_000_000),
      seed: whole('Seed, for providers that support reproducible answers.', 0, 4_294_967_295),
      effort: choice('Effort of reasoning.', EFFORT_LEVELS),
      cache: choice('Use of the prompt cache of the provider.', CACHE_MODES, { default: 'auto' }),
      stop: list('Strings at which the model stops its response.', text('A string that ends the response.'), 8),
    }),
  },
  ['provider', 'name'],
);

const knowledge = object(
  'A knowledge base that the agent reads. The access list of the base must contain the agent.',
  {
    base: text('Id or name of the knowledge base.'),
    mode: choice(
      'tool: the model decides when to search. always: the service retrieves passages before the first turn.',
      ['tool', 'always'],
      {
        default: 'tool',
      },
    ),
    top_k: whole('Maximum number of passages.', 1, 50, { default: 8 }),
    citations: choice(
      'Whether the response must cite passages. `optional`: citations are checked if there are any. `off`: ' +
        'citations are not checked.',
      ['required', 'optional', 'off'],
      {
        default: 'optional',
      },
    ),
  },
  ['base'],
);

/**
 * The format `agent/v1` as a JSON Schema 2020-12. Editors use it (`GET /v1/schemas/agent.v1.json`). Validation checks a
 * definition against this schema first. Compiling then checks references, expressions and embedded schemas.
 */
export const AGENT_V1_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'agent.v1.json',
  title: 'Agent definition, agent/v1',
  ...object(
    'The keys decide the kind of agent. Only `model`: the model drives a tool loop. Only `steps`: a fixed plan that never calls a model. Both: a fixed plan with `agent` steps.',
    {
      schema: any('Version of the definition format.', { const: 'agent/v1' }),
      name: pattern('Name of the agent, unique in the workspace.', 'name'),
      description: text('What the agent does.', { minLength: 0 }),
      model: {
        ...ref('model'),
        description: 'The model: `provider/name`, or an object. The operator configures providers in MODEL_PROVIDERS.',
      },
      instructions: text('Instructions for the model.'),
      knowledge: list('Knowledge bases that the agent reads.', ref('knowledge'), 20),
      tools: list('Tools of the agent.', ref('tool'), 50),
      steps: list('Steps of the plan, in the order in which they run.', ref('step'), 200, { minItems: 1 }),
      on_failure: list('Steps that run if the run fails. Their expressions can read `error`.', ref('step'), 50, {
        minItems: 1,
      }),
      expose: exposeSchema,
      evaluation: evaluationProperty,
      ...ruleProperties,
    },
    ['name'],
  ),
  $defs: {
    model: textOrObject('A model and its fallbacks.', pattern('`provider/name`.', 'model'), modelObject),
    modelChoice: textOrObject(
      'A model without fallbacks.',
      pattern('`provider/name`.', 'model'),
      object('A model.', modelChoice, ['provider', 'name']),
    ),
    knowledge,
    auth,
    operation: operationSchema,
    sqlOperation: sqlOperationSchema,
    tool: toolSchema,
    step: stepDefinition,
    ...ruleDefinitions,
    ...evaluationDefinitions,
  },
};
