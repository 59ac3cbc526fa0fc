/** This folder contains the only code that reads `process.env`. A process reads the environment once, at its start. */
export { Config } from './config.js';
export { ConfigModule } from './config.module.js';
export {
  ConfigurationError,
  EnvironmentReader,
  type EnvironmentSource,
  childEnvironment,
  isolatedEnvironment,
  useUtc,
} from './environment-reader.js';
export { type ConfigOf, defineConfig, defineDerivedConfig, type FeatureConfig } from './feature-config.js';
export { type ProcessName, setting, type Setting } from './setting.js';
export { readYamlSetting, type YamlNode } from './yaml-setting.js';
