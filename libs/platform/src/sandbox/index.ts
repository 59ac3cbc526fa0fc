/** An exception, an endless loop or too much memory ends the child process, and the service continues. */
export { type CodeRequest, type CodeResult, CodePool, type CodePoolSettings } from './code/code-pool.js';
export { ConfinedProcess, type ConfinedProgram, within } from './confined-process.js';
export { type PoolSettings, type ProcessCall, ProcessPool } from './process-pool.js';
export { ReceivedBytes } from './received-bytes.js';
export { ProcessEnded, SandboxFailure, SandboxLimitExceeded, SandboxUnavailable } from './sandbox-errors.js';
