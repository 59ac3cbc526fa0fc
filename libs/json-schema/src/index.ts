export { type AddedMembers, withoutUnnamed } from './added-members.js';
export { defaultProblems } from './default-problems.js';
export { fileFieldsIn, hasFileKeyword, withoutFileKeyword } from './file-places.js';
export type { FileFacts, KnownFiles } from './validation/file-rule.js';
export { appliedTo, hasDefaultAt, membersOf } from './schema-defaults.js';
export {
  type DocumentWording,
  quote,
  type SchemaErrorMessage,
  schemaErrorMessages,
  shorten,
} from './schema-error-messages.js';
export { schemaProblems } from './schema-problems.js';
export { type SchemaValidator, schemaValidator } from './schema-validator.js';
export { schemaWarnings } from './schema-warnings.js';
export { type StructureMisfit, structureMisfit } from './structured-output.js';
export { CompiledSchema } from './validation/compiled-schema.js';
export { PatternWork, inspectSchema } from './validation/inspect-schema.js';
export { ANY_FILES, NO_FILES } from './validation/schema-node.js';
export { BASE_STEPS, CheckLimitError, WorkBudget } from './validation/work-budget.js';
