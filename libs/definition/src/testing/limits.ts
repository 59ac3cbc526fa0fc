import type { DefinitionLimits } from '../parse-definition.js';

/** What definitions are allowed where the operator says nothing. */
export const LIMITS: DefinitionLimits = { bytes: 256 * 1024, depth: 32 };
