/**
 * Child processes with limits, for code that reads data of a hostile peer. An exception, an endless loop or too much
 * memory ends the child process, and the service continues. A `ProcessPool` handles requests, one at a time in each
 * process. A `ConfinedProcess` belongs to one connection. A `CodePool` executes JavaScript functions that an author
 * wrote, in threads.
 */
export type { CodeRequest, CodeResult } from './code/code-messages.js';
export { CodePool, type CodePoolSettings } from './code/code-pool.js';
export { ConfinedProcess, type ConfinedProgram, within } from './confined-process.js';
export { type PoolSettings, ProcessPool } from './process-pool.js';
export { ReceivedBytes } from './received-bytes.js';
export { ProcessEnded, SandboxFailure, SandboxLimitExceeded, SandboxUnavailable } from './sandbox-errors.js';
