/**
 * Processes that end without harm. A library that parses what a hostile peer sends runs in one of them: an uncaught exception, an
 * endless loop or too much memory ends that process and rejects the call, and the service continues.
 */
export { IsolatedProcess } from './isolated-process.js';
export { IsolationError, type IsolationLimits, RemoteError } from './isolation-error.js';
