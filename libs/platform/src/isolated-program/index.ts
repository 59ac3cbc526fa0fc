/**
 * The half of `isolation` that runs inside the isolated process. It is a folder of its own, so that such a program loads nothing of
 * the service.
 */
export type { AnswerMessage, CallMessage } from './messages.js';
export { ReceivedBytes } from './received-bytes.js';
export { serveCalls } from './serve-calls.js';
export { within } from './within.js';
