import { Foundation1763700000000 } from './1763700000000-foundation.js';
import { Approvals1763800000000 } from './1763800000000-approvals.js';
import { EmergencyStop1763810000000 } from './1763810000000-emergency-stop.js';
import { Secrets1763900000000 } from './1763900000000-secrets.js';

/** Every migration, in order. An explicit list: a file that is not named here does not run, and none runs by accident. */
export const MIGRATIONS = [
  Foundation1763700000000,
  Approvals1763800000000,
  EmergencyStop1763810000000,
  Secrets1763900000000,
];
