import type { JsonObject } from '@app/kernel';
import { POLICY_ACTIONS } from '../model/compiled-definition.js';
import { RETRYABLE_ERRORS } from '../model/compiled-step.js';
import {
  any,
  cel,
  choice,
  dictionary,
  duration,
  flag,
  list,
  object,
  pattern,
  PATTERNS,
  text,
  whole,
} from '../json-schema/building-blocks.js';
import { triggerSchema } from '../triggers/registry.js';

const policy = object(
  'A rule for tool calls. deny wins over require_approval, which wins over allow.',
  {
    name: pattern('Unique name, which traces and evaluations show.', 'policyName'),
    when: cel('Condition on the call, over `tool`, `request` and the usual names.'),
    action: choice('What happens to the call.', POLICY_ACTIONS),
    approval: pattern('Name of an approval rule in `approvals`. Required for require_approval.', 'identifier'),
    message: text('Message for the model and the trace.'),
  },
  ['name', 'when', 'action'],
);

const approval = object(
  'An approval rule: who decides, and what happens without a decision.',
  {
    approvers: list('Groups whose members may decide.', text('A group.'), 20, { minItems: 1, uniqueItems: true }),
    required: whole('Number of different people who must approve.', 1, 20, { default: 1 }),
    self_approval: flag('Whether the person who started the run may decide.', false),
    timeout: duration('Time until the approval expires.', { default: '7d' }),
    on_timeout: choice(
      'What happens when the approval expires. It is never approved automatically.',
      ['reject', 'fail', 'hand_off'],
      {
        default: 'reject',
      },
    ),
    on_reject: choice('What happens after a rejection. Default: a plan fails; a model receives the rejection.', [
      'continue',
      'fail',
      'hand_off',
    ]),
    show: list('CEL expressions whose values the approver sees.', cel('One value.'), 50),
  },
  ['approvers'],
);

const budget = object(
  'Cost limits.',
  {
    per_run: pattern('Limit for one run, as decimal text.', 'money'),
    per_day: pattern('Limit for all runs of the agent in one day, as decimal text.', 'money'),
    currency: pattern('ISO 4217 code.', 'currency'),
    on_exceeded: choice('What happens to a run over budget.', ['fail', 'hand_off'], { default: 'fail' }),
  },
  ['currency'],
);

const retry = object('How failed calls are repeated. Calls with effect at_most_once are never repeated.', {
  max_attempts: whole('Number of attempts, including the first one.', 1, 20),
  backoff: choice('Growth of the pause.', ['exponential', 'constant'], { default: 'exponential' }),
  initial: duration('The first pause.', { default: '1s' }),
  max: duration('The longest pause.', { default: '1m' }),
  retry_on: list(
    'Failures after which the call is repeated.',
    choice('An error code.', RETRYABLE_ERRORS),
    RETRYABLE_ERRORS.length,
    {
      minItems: 1,
      uniqueItems: true,
    },
  ),
});

export const ruleDefinitions: JsonObject = { policy, approval, trigger: triggerSchema, retry };

const policyDefault = (description: string, byDefault: string): JsonObject =>
  choice(description, POLICY_ACTIONS, { default: byDefault });

export const ruleProperties: Record<string, JsonObject> = {
  policies: list('Rules that are evaluated before every tool call.', { $ref: '#/$defs/policy' }, 100),
  policy_defaults: object('What happens to calls that match no policy.', {
    read: policyDefault('For calls that change nothing.', 'allow'),
    write: policyDefault('For calls that change something.', 'allow'),
    on_error: choice('If a policy cannot be evaluated.', ['deny', 'require_approval'], {
      default: 'require_approval',
    }),
    approval: pattern(
      'Name of an approval rule in `approvals`. Default: the admins of the workspace decide.',
      'identifier',
    ),
  }),
  approvals: dictionary(
    'Approval rules for policies and approval steps, by name.',
    PATTERNS.identifier,
    { $ref: '#/$defs/approval' },
    { maxProperties: 50 },
  ),
  triggers: list('Triggers that start runs.', { $ref: '#/$defs/trigger' }, 20),
  limits: object('Limits of a run.', {
    max_steps: whole('Most steps and tool calls of one run.', 1, 1_000, { default: 100 }),
    max_duration: duration('Longest active time of one run. Waiting does not count.', { default: '15m' }),
    max_wait: duration('Longest total time that a run waits for a time or for people.', { default: '30d' }),
    queue_ttl: duration('Longest time that a run is queued.'),
    budget,
  }),
  concurrency: object('How many runs may be in progress at once.', {
    max: whole('Most runs of the agent.', 1, 10_000),
    key: text('Template such as `${{ input.customer }}`. Runs with the same value share the limit `max_per_key`.'),
    max_per_key: whole('Most runs with the same key.', 1, 10_000),
    on_conflict: choice('What happens to a run over the limit.', ['queue', 'reject'], { default: 'queue' }),
  }),
  retry: { $ref: '#/$defs/retry', description: 'How failed calls are repeated.' },
  hand_off: object(
    'Groups that take over runs.',
    {
      to: list('Groups.', text('A group.'), 20, { minItems: 1, uniqueItems: true }),
    },
    ['to'],
  ),
  redact: object(
    'Values to store encrypted and to show as `[redacted]`.',
    {
      paths: list(
        'Paths such as input.body, output.iban, steps.<id>.output.iban or tools.crm.get.response.email; `*` stands for any one name.',
        text('A path.'),
        100,
        { uniqueItems: true },
      ),
    },
    ['paths'],
  ),
  labels: dictionary(
    'Labels of the agent and its runs.',
    '^[a-z0-9][a-z0-9_.-]{0,62}$',
    text('The value.', { maxLength: 256 }),
    { maxProperties: 32 },
  ),
  input: any('Schema of the input of a run. A JSON Schema (2020-12).', { type: 'object' }),
  output: any('Schema of the output of a run. A JSON Schema (2020-12).', { type: 'object' }),
};
