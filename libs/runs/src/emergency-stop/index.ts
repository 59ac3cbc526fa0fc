// This entry point is separate, so that the thread that only stops workspaces does not load the code that executes
// runs.
export { EmergencyStopModule } from './emergency-stop.module.js';
export {
  COUNTED_RUNS,
  DRAIN_TIMEOUT,
  EmergencyStopService,
  STOPPED_RUNS,
  type StoppedRuns,
  type StopOrder,
  type StopReport,
} from './emergency-stop.service.js';
export type { UnconfirmedCall } from './unconfirmed-call.js';
