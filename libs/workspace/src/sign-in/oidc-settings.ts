import type { EnvironmentReader } from '@app/platform/config';
import { type Role, ROLES } from '../roles.js';

export interface OidcSettings {
  issuer: URL;
  clientId: string;
  clientSecret: string | undefined;
  groupsClaim: string | undefined;
  roles: ReadonlyMap<string, Role>;
  domain: string | undefined;
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
