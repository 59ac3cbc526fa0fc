import type { JsonObject } from '@app/kernel';
import { POLICY_ACTIONS } from '../model/compiled-definition.js';
import { FILE_MEMBERS } from '../model/file-members.js';
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
} from '../contract/building-blocks.js';
import { triggerSchema } from '../triggers/registry.js';

const policy = object(
  'A rule for tool calls. deny wins over require_approval, which wins over allow.',
  {
    name: pattern('Unique name, which traces and evaluations show.', 'policyName'),
    when: cel('Condition on the call. It can read `tool`, `request`, `input`, `trigger`, `run`, `agent` and `steps`.'),
    action: choice('Action for calls that match the condition.', POLICY_ACTIONS),
    approval: pattern('Name of an approval rule in `approvals`. Required for require_approval.', 'identifier'),
    message: text('Message for the model and the trace if the call is denied.'),
  },
  ['name', 'when', 'action'],
);

const approval = object(
  'An approval rule: who decides, and what happens without a decision.',
  {
    approvers: list('Groups whose members may decide.', text('Name of a group.'), 20, {
      minItems: 1,
      uniqueItems: true,
    }),
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
    on_reject: choice(
      'What happens after a rejection. Default: `fail` in a definition with `steps`, else `continue`.',
      ['continue', 'fail', 'hand_off'],
    ),
    show: list('CEL expressions whose values the approver sees.', cel('Expression of one value.'), 50),
  },
  ['approvers'],
);

const budget = object(
  'Cost limits.',
  {
    per_run: pattern('Limit for one run, as a decimal string.', 'money'),
    per_day: pattern('Limit for all runs of the agent in one UTC day, as a decimal string.', 'money'),
    currency: pattern('Currency code (ISO 4217).', 'currency'),
    on_exceeded: choice('What happens to a run that exceeds the budget.', ['fail', 'hand_off'], { default: 'fail' }),
  },
  ['currency'],
);

const retry = object('How failed calls are retried. Calls with effect at_most_once are never retried.', {
  max_attempts: whole('Number of attempts, including the first one.', 1, 20),
  backoff: choice('How the pause changes from attempt to attempt.', ['exponential', 'constant'], {
    default: 'exponential',
  }),
  initial: duration('Pause before the second attempt.', { default: '1s' }),
  max: duration('Maximum pause between attempts.', { default: '1m' }),
  retry_on: list(
    'Failures after which the call is retried.',
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
    read: policyDefault('Action for calls that change nothing.', 'allow'),
    write: policyDefault('Action for calls that change something.', 'allow'),
    on_error: choice('Action if a policy cannot be evaluated.', ['deny', 'require_approval'], {
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
    max_steps: whole(
      'Maximum number of tool calls, model turns and code executions in one run, including retries. The ' +
        'operator may allow fewer (MAX_RUN_STEPS).',
      1,
      10_000,
      { default: 100 },
    ),
    max_duration: duration('Maximum active time of one run. The time that the run waits does not count.', {
      default: '15m',
    }),
    max_wait: duration('Maximum total time that a run waits for people or in `wait` steps.', { default: '30d' }),
    queue_ttl: duration('Maximum time that a run is queued; then it fails with `queue_expired`. Default: no limit.'),
    budget,
  }),
  concurrency: object('Limits on the number of runs that are in progress at the same time.', {
    max: whole('Maximum number of runs of the agent at the same time.', 1, 10_000),
    key: text('Template such as `${{ input.customer }}`. Runs with the same value share the limit `max_per_key`.'),
    max_per_key: whole('Maximum number of runs with the same `key` at the same time.', 1, 10_000),
    on_conflict: choice(
      'What happens to a run over the limit. `reject`: the start is rejected with 429 `rate_limited`.',
      ['queue', 'reject'],
      { default: 'queue' },
    ),
  }),
  retry: { $ref: '#/$defs/retry', description: 'How failed calls are retried.' },
  hand_off: object(
    'Groups of people that take over runs that are handed off.',
    {
      to: list('Names of the groups.', text('Name of a group.'), 20, { minItems: 1, uniqueItems: true }),
    },
    ['to'],
  ),
  redact: object(
    'Values that are stored encrypted and shown as `[redacted]`.',
    {
      paths: list(
        'Paths such as input.body, output.iban, steps.<id>.output.iban or tools.crm.get.response.email; `*` matches any single name.',
        text('Path of a redacted value, for example `output.iban`.'),
        100,
        { uniqueItems: true },
      ),
    },
    ['paths'],
  ),
  labels: dictionary(
    'Labels of the agent and its runs.',
    '^[a-z0-9][a-z0-9_.-]{0,62}$',
    text('The value of the label.', { maxLength: 256 }),
    { maxProperties: 32 },
  ),
  input: any('Schema of the input of a run. A JSON Schema (2020-12).', { type: 'object' }),
  output: any('Schema of the output of a run. A JSON Schema (2020-12).', { type: 'object' }),
  files: choice(
    'Whether the values of received files include their bytes. `reference`: they only name the file.',
    FILE_MEMBERS,
    { default: 'inline' },
  ),
};
