export { evaluationWork, withSharedBudget } from './cel-cost.js';
export { compileCondition, compileExpression } from './cel-environment.js';
export { type ExpressionScope } from './cel-names.js';
export { type CelType, type KnownOutput, type KnownShape, celTypeOf } from './cel-types.js';
export { NO_VARIABLES } from './cel-words.js';
export { type Condition, type Expression, ExpressionError, type Scope, type Template } from './expression.js';
export { type SafeRegex, compilingWork, regexProblem, safeRegex } from './safe-regex.js';
export { compileTemplate, foreignPlaceholders, isWholeExpression, splitTemplate } from './template.js';
export { instantOf, isTimeZone, wallTime } from './wall-clock.js';
