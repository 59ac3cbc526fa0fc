export { type ModelFacts, UNKNOWN_MODEL } from './model-facts.js';
export {
  DEFAULT_EMBEDDING_MODEL,
  type EmbeddingModelOptions,
  type ModelPrice,
  type ModelProvider,
} from './model-providers.js';
export { type ModelsConfig, modelsConfig } from './models.config.js';
