import { Optional } from '@marcbachmann/cel-js';
import { fail, type FunctionSpec } from './function-spec.js';

function value(optional: Optional): unknown {
  if (optional.hasValue()) return optional.value();
  return fail('reads the value of an empty optional', 'missing_field', 'Write `.orValue(…)`, or check `.hasValue()`.');
}

export const OPTIONAL_FUNCTIONS: readonly FunctionSpec[] = [
  ['optional.of(dyn): optional', (content: unknown): Optional => Optional.of(content)],
  ['optional.none(): optional', (): Optional => Optional.none()],
  ['optional<dyn>.value(): dyn', value],
];
