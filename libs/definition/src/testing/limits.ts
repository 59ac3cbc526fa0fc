import type { DefinitionLimits } from '../parse-definition.js';

/** The default limits of definitions. */
export const LIMITS: DefinitionLimits = { bytes: 256 * 1024, depth: 32, runSteps: 1_000 };
