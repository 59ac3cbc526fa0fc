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
          '`any` allows every way to sign in. `oidc` allows sign-in at the OIDC provider only; the link that the ' +
          'command line prints still works, and the audit log records its use.',
      }),
      signInWithKey: setting.oneOf('SIGN_IN_WITH_KEY', {
        values: ['on', 'off'],
        default: 'on',
        description: 'Whether a person can exchange an API key for a session.',
      }),
      insecureCookies: setting.oneOf('INSECURE_COOKIES', {
        values: ['true', 'false'],
        default: 'false',
        description:
          'If `true`, people can sign in over plain HTTP even if HOST is not a loopback address. Other computers in ' +
          'the network can then take over their sessions.',
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
        defaultNote: 'none: the service is a public client',
        description: 'Client secret of the service at the provider.',
      }),
      groupsClaim: setting.text('OIDC_GROUPS_CLAIM', {
        allowed: 'name of a claim',
        defaultNote: 'roles and groups are managed in the service',
        description:
          'Claim that contains the groups of a person, as a list or a text. If it is set, each sign-in sets the ' +
          'role of the person by OIDC_ROLES, in all workspaces of the person. It also makes the person part of ' +
          'exactly those existing groups that the claim names.',
      }),
      roles: setting.list('OIDC_ROLES', {
        accepts: (entry) => /^.+:(viewer|operator|builder|admin)$/.test(entry),
        allowed: 'entries such as automation-admins:admin, separated by commas',
        defaultNote: 'every person is a viewer',
        description:
          'Role for each value of OIDC_GROUPS_CLAIM. If several values match, the highest role counts. If no value ' +
          'matches, the role is `viewer`.',
      }),
      provisioning: setting.matching('OIDC_PROVISIONING', {
        pattern: /^(invited|domain:[a-z0-9-]+(\.[a-z0-9-]+)+)$/i,
        allowed: 'invited or domain:<domain>',
        default: 'invited',
        description:
          '`invited`: only members can sign in. `domain:example.com`: a person with a verified address at exactly ' +
          'this domain becomes a member at the first sign-in.',
      }),
      workspace: setting.text('OIDC_WORKSPACE', {
        allowed: 'id of a workspace',
        defaultNote: 'the only workspace',
        description: 'Workspace to which OIDC_PROVISIONING adds members.',
      }),
      trustEmail: setting.oneOf('OIDC_TRUST_EMAIL', {
        values: ['true', 'false'],
        default: 'false',
        description:
          'Whether the service trusts e-mail addresses that the provider does not mark as verified. Set it only if ' +
          'people cannot choose their address at the provider.',
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
      oidc,
    };
  },
);
export type SignInConfig = ConfigOf<typeof signInConfig>;
