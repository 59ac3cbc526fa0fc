import { ANY_FILES } from '@app/json-schema';
import { parseDuration, parseInstant } from '@app/kernel';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import { celTypeOf } from '@app/cel';
import { any, duration, jsonSchema, object, text } from '../contract/building-blocks.js';
import { stepSchema, type StepCheckContext, type StepDescriptor } from '../contract/step-descriptor.js';
import type { CallbackWait } from '../model/compiled-step.js';
import type { StepCompilation } from '../contract/step-compilation.js';

const WEEK_MS = 7 * 86_400_000;

export const waitStep: StepDescriptor<'wait'> = {
  schema: stepSchema('Waits without occupying a worker.', {
    wait: object(
      'What the step waits for: a duration, a time, or a call from another system.',
      {
        for: text('Duration of the wait, for example 5m. May contain `${{ CEL }}`.'),
        until: text('Time at which the wait ends (RFC 3339). May contain `${{ CEL }}`.'),
        callback: object(
          'Waits for a call of `POST /v1/callbacks/<token>`. The body of the call is the output of the step.',
          {
            timeout: duration('Time after which the step fails with `timeout`.', { default: '7d' }),
            schema: jsonSchema('Schema of the body. Default: any object.'),
            simulate: any(
              'Body in mode test. Without it, the run waits in mode test too. Strings may contain `${{ CEL }}`.',
              { type: 'object' },
            ),
          },
        ),
      },
      [],
      { oneOf: [{ required: ['for'] }, { required: ['until'] }, { required: ['callback'] }] },
    ),
  }),
  compile(base, at) {
    const node = at.node.child('wait');
    return {
      ...base,
      kind: 'wait',
      for: at.optionalTemplate(node, 'for'),
      until: at.optionalTemplate(node, 'until'),
      ...(node.has('callback') && { callback: callbackOf(node.child('callback'), at) }),
    };
  },
  check: checkWait,
  outputType: ({ callback }) => (callback?.schema ? celTypeOf(callback.schema.schema) : 'dyn'),
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: false,
  isRepeatable: false,
};

function callbackOf(node: DefinitionNode, at: StepCompilation): CallbackWait {
  const schema = at.context.schema(node.raw('schema'), node.pathOf('schema'));
  const simulate = at.optionalTemplate(node, 'simulate');
  if (!at.context.isTrusted && schema && simulate?.isConstant) {
    for (const { pointer, detail, suggestion } of schema.validate(simulate.source, undefined, ANY_FILES)) {
      at.context.problems.error(
        [...node.pathOf('simulate'), ...pointer.split('/').slice(1)],
        `This value does not match the schema of the callback: ${detail}`,
        suggestion,
      );
    }
  }
  return { timeoutMs: node.durationOr('timeout', WEEK_MS), schema, simulate };
}

function checkWait(node: DefinitionNode, { problems }: StepCheckContext): void {
  const wait = node.child('wait');
  if (wait.has('callback')) checkCallback(node, wait.child('callback'), problems);
  const duration = wait.optionalText('for');
  if (duration !== null && !duration.includes('${{') && parseDuration(duration) === undefined) {
    problems.error(
      wait.pathOf('for'),
      `"${duration}" is not a duration.`,
      'Write a whole number and a unit: `500ms`, `20s`, `10m`, `24h` or `30d`.',
    );
  }
  const until = wait.optionalText('until');
  if (until === null) return;
  if (!until.includes('${{') && parseInstant(until) === undefined) {
    problems.error(
      wait.pathOf('until'),
      `"${until}" is not a time.`,
      'Write an RFC 3339 time with an offset: `2027-01-31T08:00:00Z`.',
    );
  }
  if (node.has('timeout'))
    problems.warning(node.pathOf('timeout'), '`timeout` has no effect with `wait.until`.', 'Remove it.');
}

function checkCallback(node: DefinitionNode, callback: DefinitionNode, problems: Problems): void {
  const { type = 'object' } = callback.optionalChild('schema')?.value ?? {};
  if (type !== 'object') {
    problems.error(
      [...callback.pathOf('schema'), 'type'],
      'The body of a callback is an object.',
      'Write `type: object`, or remove `type`.',
    );
  }
  for (const at of [callback, node]) {
    if (!at.has('timeout') || at.durationOr('timeout', 0) > 0) continue;
    problems.error(
      at.pathOf('timeout'),
      'The callback has a timeout of 0, so the step would fail at once.',
      'Write a longer time, for example `24h`.',
    );
  }
}
