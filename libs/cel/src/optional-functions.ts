import { Optional } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { fail, type FunctionSpec, isEngineMap, membersOf, uintOf } from './function-spec.js';

function value(optional: Optional): unknown {
  if (optional.hasValue()) return optional.value();
  return fail('reads the value of an empty optional', 'missing_field', 'Write `.orValue(…)`, or check `.hasValue()`.');
}

/** Zero values are null, false, 0, and texts, bytes, lists and maps without contents. */
function isZero(content: unknown): boolean {
  if (typeof content === 'string' || Array.isArray(content) || content instanceof Uint8Array)
    return content.length === 0;
  if (content instanceof Optional) return !content.hasValue();
  if (content instanceof Duration) return content.seconds === 0n && content.nanos === 0;
  if (isEngineMap(content)) return membersOf(content).length === 0;
  return content === null || content === false || content === 0 || (uintOf(content) ?? content) === 0n;
}

export const OPTIONAL_FUNCTIONS: readonly FunctionSpec[] = [
  ['optional.of(dyn): optional', (content: unknown): Optional => Optional.of(content)],
  [
    'optional.ofNonZeroValue(dyn): optional',
    (content: unknown): Optional => (isZero(content) ? Optional.none() : Optional.of(content)),
  ],
  ['optional.none(): optional', (): Optional => Optional.none()],
  ['optional<dyn>.value(): dyn', value],
];
