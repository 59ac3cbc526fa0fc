import type { DefinitionLimits } from '../parse-definition.js';

export const LIMITS: DefinitionLimits = { bytes: 256 * 1024, depth: 32, runSteps: 1_000 };
