/** The models that the operator configured: providers, prices, and options of embedding models. */
export {
  DEFAULT_EMBEDDING_MODEL,
  type EmbeddingModelOptions,
  type ModelPrice,
  type ModelProvider,
} from './model-providers.js';
export { type ModelsConfig, modelsConfig } from './models.config.js';
