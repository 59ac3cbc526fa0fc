/** Secrets are always compared in constant time. */
export { API_KEY_KINDS, type ApiKeyKind, type NewApiKey, newApiKey, parseApiKey } from './api-key-format.js';
export { CryptoModule } from './crypto.module.js';
export { constantTimeEqual, sha256 } from './digest.js';
export { SealedBox, type SealedCell, type MasterKeys } from './envelope.js';
export { SigningKey } from './signing-key.js';
export {
  newWebhookSecret,
  type SignedMessage,
  webhookSignature,
  isSignedBy,
  type SenderSignature,
  standardSignature,
} from './webhook-signature.js';
export { type CryptoConfig, cryptoConfig } from './crypto.config.js';
