/**
 * The emergency stop, without the rest of the runs: a thread that only stops workspaces does not load what carries runs out.
 */
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
