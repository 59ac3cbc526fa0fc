/** Processes that handle untrusted data within limits of CPU time and memory. */
export {
  ProcessPool,
  type PoolSettings,
  SandboxFailure,
  SandboxLimitExceeded,
  SandboxUnavailable,
} from './process-pool.js';
