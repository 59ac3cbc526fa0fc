import type { EnvironmentReader } from '@app/platform/config';
import { type Role, ROLES } from '../roles.js';

export interface OidcSettings {
  issuer: URL;
  clientId: string;
  clientSecret: string | undefined;
  /** Name of the claim with the groups of a person. If undefined, the provider does not determine roles and groups. */
  groupsClaim: string | undefined;
  /** Roles by group name in the groups claim. */
  roles: ReadonlyMap<string, Role>;
  /**
   * People with an e-mail address in this domain become members at their first sign-in. If undefined, only invited
   * members can sign in.
   */
  domain: string | undefined;
  /** Workspace of new members. If undefined, new members join the only workspace. */
  workspace: string | undefined;
  trustsEmail: boolean;
}

interface GivenSettings {
  issuer: string | undefined;
  clientId: string | undefined;
  clientSecret: string | undefined;
  groupsClaim: string | undefined;
  roles: readonly string[];
  provisioning: string;
  workspace: string | undefined;
  trustEmail: string;
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/;

/** Returns the settings of the OIDC provider, or null if none is configured. */
export function readOidcSettings(given: GivenSettings, reader: EnvironmentReader): OidcSettings | null {
  const { issuer: address, clientId, clientSecret, groupsClaim, workspace } = given;
  if (address === undefined) return null;
  const issuer = new URL(address);
  if (issuer.protocol === 'http:' && !LOOPBACK.test(issuer.hostname)) {
    reader.reject('OIDC_ISSUER', address, 'an https address; plain http is allowed on loopback only');
  }
  if (clientId === undefined) {
    reader.reject('OIDC_CLIENT_ID', '', 'the client id of the service, because OIDC_ISSUER is set');
    return null;
  }
  return {
    issuer,
    clientId,
    clientSecret,
    groupsClaim,
    roles: new Map(given.roles.flatMap(roleOf)),
    domain: /^domain:(.+)$/i.exec(given.provisioning)?.[1]?.toLowerCase(),
    workspace,
    trustsEmail: given.trustEmail === 'true',
  };
}

/** Splits the entry at its last colon, because the group name may contain colons. */
function roleOf(entry: string): [string, Role][] {
  const at = entry.lastIndexOf(':');
  const role = ROLES.find((each) => each === entry.slice(at + 1));
  return role === undefined ? [] : [[entry.slice(0, at), role]];
}
