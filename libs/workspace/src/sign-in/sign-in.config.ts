import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';
import { readOidcSettings } from './oidc-settings.js';

export const signInConfig = defineDerivedConfig(
  {
    title: 'Sign-in',
    readBy: ['api'],
    settings: {
      signIn: setting.oneOf('SIGN_IN', {
        values: ['any', 'oidc'],
        default: 'any',
        description:
          '`oidc` allows sign-in at the OIDC provider only. The link that the command line prints still works, and its use is recorded in the audit log.',
      }),
      signInWithKey: setting.oneOf('SIGN_IN_WITH_KEY', {
        values: ['on', 'off'],
        default: 'on',
        description: 'Whether an API key can be exchanged for a session.',
      }),
      insecureCookies: setting.oneOf('INSECURE_COOKIES', {
        values: ['true', 'false'],
        default: 'false',
        description:
          'Allows sign-in over plain HTTP at a HOST that is not loopback. Other computers in the network can then take over sessions.',
      }),
      issuer: setting.url('OIDC_ISSUER', {
        schemes: ['https', 'http'],
        secret: false,
        defaultNote: 'no single sign-on',
        description:
          'Issuer of the OIDC provider, without `/.well-known/openid-configuration`. Plain HTTP is allowed on loopback only. Register the ' +
          'redirect address PUBLIC_URL/auth/oidc/callback at the provider.',
      }),
      clientId: setting.text('OIDC_CLIENT_ID', {
        allowed: 'text',
        description: 'Client id of the service at the provider. Required with OIDC_ISSUER.',
      }),
      clientSecret: setting.text('OIDC_CLIENT_SECRET', {
        allowed: 'text',
        defaultNote: 'a public client',
        description: 'Client secret of the service at the provider.',
      }),
      groupsClaim: setting.text('OIDC_GROUPS_CLAIM', {
        allowed: 'name of a claim',
        defaultNote: 'roles and groups are managed here',
        description:
          'Claim with the groups of a person, as a list or a text. With it, each sign-in sets the role of the member by OIDC_ROLES, and the ' +
          'membership of exactly those existing groups that the claim names.',
      }),
      roles: setting.list('OIDC_ROLES', {
        accepts: (entry) => /^.+:(viewer|operator|builder|admin)$/.test(entry),
        allowed: 'entries such as automation-admins:admin, separated by commas',
        defaultNote: 'every person is a viewer',
        description:
          'Role for each value of OIDC_GROUPS_CLAIM. The highest role counts; without a match it is `viewer`.',
      }),
      provisioning: setting.matching('OIDC_PROVISIONING', {
        pattern: /^(invited|domain:[a-z0-9-]+(\.[a-z0-9-]+)+)$/i,
        allowed: 'invited or domain:<domain>',
        default: 'invited',
        description:
          '`invited`: only members can sign in. `domain:example.com`: a person with a verified address at exactly that domain becomes a member.',
      }),
      workspace: setting.text('OIDC_WORKSPACE', {
        allowed: 'id of a workspace',
        defaultNote: 'the only workspace',
        description: 'Workspace that OIDC_PROVISIONING adds members to.',
      }),
      trustEmail: setting.oneOf('OIDC_TRUST_EMAIL', {
        values: ['true', 'false'],
        default: 'false',
        description:
          'Whether addresses count as verified although the provider does not say so. Set it only if people cannot choose their address at the provider.',
      }),
    },
  },
  ({ signIn, signInWithKey, insecureCookies, ...given }, reader) => {
    const oidc = readOidcSettings(given, reader);
    if (signIn === 'oidc' && !oidc) reader.reject('SIGN_IN', signIn, 'OIDC_ISSUER and OIDC_CLIENT_ID together with it');
    return {
      allowsInsecureCookies: insecureCookies === 'true',
      isOidcOnly: signIn === 'oidc',
      allowsKey: signIn === 'any' && signInWithKey === 'on',
      /** Null if no OIDC provider is configured. */
      oidc,
    };
  },
);
export type SignInConfig = ConfigOf<typeof signInConfig>;
