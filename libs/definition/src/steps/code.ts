import { byteText, parseDuration } from '@app/kernel';
import type { DefinitionNode } from '../contract/definition-node.js';
import { choice, duration, object, pattern, text } from '../contract/building-blocks.js';
import type { CodeLimits } from '../model/compiled-step.js';
import { sourceProblem } from './code-source.js';
import { requestSchema, stepSchema, type StepCheckContext, type StepDescriptor } from '../contract/step-descriptor.js';

/** The largest allowed limits of a `code` step. They are also the defaults. */
const MAX_LIMITS: CodeLimits = { memoryBytes: 64 * 1024 * 1024, timeMs: 5_000 };
/** Minimum memory limit. It is more than the standard library of the language needs. */
const MIN_MEMORY_BYTES = 1024 * 1024;

export const codeStep: StepDescriptor<'code'> = {
  schema: stepSchema('Computes a value with a function in JavaScript.', {
    code: object(
      'Function that computes the output of the step from `with`. It cannot use the network, files, the clock, ' +
        'random numbers or imports.',
      {
        language: choice('Language of `source`.', ['javascript'], { default: 'javascript' }),
        with: { ...requestSchema, description: 'The argument of the function. Values may contain `${{ CEL }}`.' },
        source: text('JavaScript module whose default export is the function, which may be async.'),
        limits: object('Limits of one execution.', {
          memory: pattern('Maximum memory, at most 64MiB.', 'memory', { default: '64MiB' }),
          time: duration('Maximum time, at most 5s.', { default: '5s' }),
        }),
      },
      ['source'],
    ),
  }),
  compile(base, at) {
    const node = at.node.child('code');
    return {
      ...base,
      kind: 'code',
      with: at.template(node.raw('with') ?? {}, node.pathOf('with')),
      source: node.text('source'),
      limits: limitsOf(node.optionalChild('limits')),
    };
  },
  check: checkCode,
  outputType: () => 'dyn',
  blocks: null,
  isBlock: false,
  ends: false,
  // `timeout` has no effect, because `limits.time` limits the time.
  isInstant: true,
  isRepeatable: false,
};

function limitsOf(node: DefinitionNode | null): CodeLimits {
  const memory = node?.optionalText('memory') ?? null;
  return {
    memoryBytes: memory === null ? MAX_LIMITS.memoryBytes : bytesOf(memory),
    timeMs: node?.durationOr('time', undefined) ?? MAX_LIMITS.timeMs,
  };
}

/** Converts `512KiB` or `64MiB` to bytes. The schema has checked the form. */
function bytesOf(size: string): number {
  return Number.parseInt(size, 10) * (size.endsWith('KiB') ? 1024 : 1024 * 1024);
}

function checkCode(node: DefinitionNode, { problems }: StepCheckContext): void {
  const code = node.child('code');
  const problem = sourceProblem(code.text('source'));
  if (problem) problems.error(code.pathOf('source'), problem.detail, problem.suggestion);
  else if (code.text('source').includes('${{')) {
    const detail = 'Expressions are not evaluated inside `source`.';
    problems.warning(
      code.pathOf('source'),
      detail,
      'Pass the value in `with`. The function receives it as an argument.',
    );
  }
  const limits = code.optionalChild('limits');
  const memory = limits?.optionalText('memory');
  if (limits && memory && (bytesOf(memory) < MIN_MEMORY_BYTES || bytesOf(memory) > MAX_LIMITS.memoryBytes)) {
    const range = `${byteText(MIN_MEMORY_BYTES)} to ${byteText(MAX_LIMITS.memoryBytes)}`;
    problems.error(limits.pathOf('memory'), `${memory} is out of range.`, `Write a size from ${range}.`);
  }
  const time = limits?.optionalText('time');
  const timeMs = time ? (parseDuration(time) ?? 0) : 1;
  if (limits && time && (timeMs < 1 || timeMs > MAX_LIMITS.timeMs)) {
    problems.error(limits.pathOf('time'), `${time} is out of range.`, 'Write a time from 1ms to 5s.');
  }
}
