import type { ApiKeyKind } from '@app/platform/crypto';
import type { Role } from './roles.js';
import type { Scope } from './scopes.js';

/** The authenticated caller of a request: a member of one workspace, through one API key. */
export interface Principal {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly memberId: string;
  readonly email: string;
  /** The weaker of the key's and the member's role. */
  readonly role: Role;
  /** The scopes of the role, narrowed to those of the key. */
  readonly scopes: ReadonlySet<Scope>;
  readonly key: { readonly id: string; readonly kind: ApiKeyKind; readonly name: string };
}
