/**
 * Child processes with limits, for code that reads what a hostile peer sends: an exception, an endless loop or too much memory ends
 * that process, and the service continues. A `ProcessPool` handles requests, one at a time in each process; a `ConfinedProcess` is
 * kept for as long as a connection is open.
 */
export { ConfinedProcess, type ConfinedProgram } from './confined-process.js';
export { type PoolSettings, ProcessPool } from './process-pool.js';
export { ReceivedBytes } from './received-bytes.js';
export { ProcessEnded, SandboxFailure, SandboxLimitExceeded, SandboxUnavailable } from './sandbox-errors.js';
export { within } from './within.js';
