/** The settings of the installation. Importing them loads no lib, so that a small process can read them. */
export { type ApiConfig, apiConfig } from './api.config.js';
export { loadServiceSettings, loadSettings, loadStandaloneSettings, type StandaloneSettings } from './settings.js';
