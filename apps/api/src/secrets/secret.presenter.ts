import type { ListedSecret } from '@app/workspace';
import type { SecretResource } from './secret.dto.js';

export function presentSecret({ name, createdAt, updatedAt }: ListedSecret): SecretResource {
  return { name, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
