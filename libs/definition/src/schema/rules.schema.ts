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
    name: pattern('Unique name: traces and evaluations say it.', 'policyName'),
    when: cel('The calls it is about. Sees `tool`, `request` and the usual names.'),
    action: choice('What happens to the call.', POLICY_ACTIONS),
    approval: pattern('A name below `approvals`; needed by require_approval.', 'identifier'),
    message: text('What the model or the trace is told.'),
  },
  ['name', 'when', 'action'],
);

const approval = object(
  'Who decides, and what happens when nobody does.',
  {
    approvers: list('Groups whose members may decide.', text('A group.'), 20, { minItems: 1, uniqueItems: true }),
    required: whole('How many different people must approve.', 1, 20, { default: 1 }),
    self_approval: flag('Whether the person who started the run may decide.', false),
    timeout: duration('How long it stays open.', { default: '7d' }),
    on_timeout: choice('What happens then. It is never approved by itself.', ['reject', 'fail', 'hand_off'], {
      default: 'reject',
    }),
    on_reject: choice('After a rejection. Left out: a plan fails, a model is told.', ['continue', 'fail', 'hand_off']),
    show: list('What the approver sees: CEL expressions.', cel('One value.'), 50),
  },
  ['approvers'],
);

const budget = object(
  'What runs may cost.',
  {
    per_run: pattern('Decimal text.', 'money'),
    per_day: pattern('Decimal text, for all runs of the agent.', 'money'),
    currency: pattern('ISO 4217 code.', 'currency'),
    on_exceeded: choice('What happens to the run.', ['fail', 'hand_off'], { default: 'fail' }),
  },
  ['currency'],
);

const retry = object('How often and when a failed call is repeated. Never applied to at_most_once calls.', {
  max_attempts: whole('The first attempt included.', 1, 20),
  backoff: choice('How the pause grows.', ['exponential', 'constant'], { default: 'exponential' }),
  initial: duration('The first pause.', { default: '1s' }),
  max: duration('The longest pause.', { default: '1m' }),
  retry_on: list('Which failures.', choice('An error code.', RETRYABLE_ERRORS), RETRYABLE_ERRORS.length, {
    minItems: 1,
    uniqueItems: true,
  }),
});

export const ruleDefinitions: JsonObject = { policy, approval, trigger: triggerSchema, retry };

const policyDefault = (description: string, byDefault: string): JsonObject =>
  choice(description, POLICY_ACTIONS, { default: byDefault });

export const ruleProperties: Record<string, JsonObject> = {
  policies: list('Rules that are evaluated before every tool call.', { $ref: '#/$defs/policy' }, 100),
  policy_defaults: object('What happens to calls that no policy is about.', {
    read: policyDefault('Calls that change nothing.', 'allow'),
    write: policyDefault('Calls that change something.', 'allow'),
    on_error: choice('When a policy cannot be evaluated. Never allow.', ['deny', 'require_approval'], {
      default: 'require_approval',
    }),
    approval: pattern('A name below `approvals`: who is asked. Left out: the admins of the workspace.', 'identifier'),
  }),
  approvals: dictionary(
    'Who decides what policies and approval steps ask.',
    PATTERNS.identifier,
    { $ref: '#/$defs/approval' },
    { maxProperties: 50 },
  ),
  triggers: list('What starts runs, besides the API.', { $ref: '#/$defs/trigger' }, 20),
  limits: object('Where a run ends at the latest.', {
    max_steps: whole('Steps and tool calls of one run.', 1, 1_000, { default: 100 }),
    max_duration: duration('Active time of one run; waiting does not count.', { default: '15m' }),
    max_wait: duration('How long a run may wait in all, for a time or for people.', { default: '30d' }),
    queue_ttl: duration('How long a run may be queued.'),
    budget,
  }),
  concurrency: object('How many runs go on at the same time.', {
    max: whole('Of the agent.', 1, 10_000),
    key: text('`${{ CEL }}` over the input: runs with the same key belong together.'),
    max_per_key: whole('With the same key.', 1, 10_000),
    on_conflict: choice('What happens to a run that is too many.', ['queue', 'reject'], { default: 'queue' }),
  }),
  retry: { $ref: '#/$defs/retry', description: 'How failed calls are repeated.' },
  hand_off: object(
    'Where runs go that people must continue.',
    {
      to: list('Groups.', text('A group.'), 20, { minItems: 1, uniqueItems: true }),
    },
    ['to'],
  ),
  redact: object(
    'What is stored encrypted and shown as `[redacted]`.',
    {
      paths: list(
        'Paths such as input.body, output.iban, steps.<id>.output.iban or tools.crm.get.response.email; `*` is any one part.',
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
  input: any('What a run takes. A JSON Schema (2020-12).', { type: 'object' }),
  output: any('What a run gives. A JSON Schema (2020-12).', { type: 'object' }),
};
