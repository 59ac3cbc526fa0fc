/**
 * The settings of the installation. This entry point loads no other code of the libs, so that small processes can read
 * settings.
 */
export { type ApiConfig, apiConfig } from './api.config.js';
export {
  FEATURE_CONFIGS,
  loadServiceSettings,
  loadSettings,
  loadStandaloneSettings,
  type StandaloneSettings,
} from './settings.js';
