/**
 * Processes and threads with limits, for untrusted data and untrusted code. Data from outside is read in a child
 * process. An exception, an endless loop or too much memory ends the child process, and the service continues. Each
 * process of a `ProcessPool` handles one request at a time. A `ConfinedProcess` serves one connection. A `CodePool`
 * executes JavaScript functions that an author wrote, in threads.
 */
export { type CodeRequest, type CodeResult, CodePool, type CodePoolSettings } from './code/code-pool.js';
export { ConfinedProcess, type ConfinedProgram, within } from './confined-process.js';
export { type PoolSettings, ProcessPool } from './process-pool.js';
export { ReceivedBytes } from './received-bytes.js';
export { ProcessEnded, SandboxFailure, SandboxLimitExceeded, SandboxUnavailable } from './sandbox-errors.js';
