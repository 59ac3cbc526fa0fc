import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';
import { readOauthProviders } from './oauth-provider-settings.js';

const EXAMPLE = `providers:
  github: { client_id: Iv1.abc, client_secret_env: GITHUB_CLIENT_SECRET }
  wiki:
    title: Our wiki
    client_id: agents
    client_secret_env: WIKI_CLIENT_SECRET      # without this key, the client is public
    authorize_url: https://wiki.example.com/oauth/authorize
    token_url: https://wiki.example.com/oauth/token
    scopes: [read]
    client_authentication: basic               # or post
    authorize_parameters: { prompt: login }    # default: consent; with openid: select_account consent
    issuer: https://wiki.example.com           # optional: if a callback names an issuer, it must be this one
    revocation_url: https://wiki.example.com/oauth/revoke   # default: from the metadata of the issuer
    api:                                       # optional: only sources need it
      base_url: https://wiki.example.com/api
      scope:
        field: spaces                                       # key of a source that limits it to some spaces
        everything: all                                     # the scope if a source has no \`spaces\`
        choices: { path: /spaces, items_pointer: /spaces, id: "{/key}", title: "{/name}" }   # optional
      list: { path: "/spaces/{scope}/pages", query: { limit: "100" } }
      items_pointer: /pages
      next: { pointer: /next, query: cursor }               # other ways: body: …, link: true, a pointer to a URL
      item: { key: "{/id}", title: "{/title}", url: "{/url}", updated: "{/changed}" }
      contents:                                             # the first entry that matches; other items are skipped
        - { when: { value: "{/kind}", matches: ^page$ }, path: "/pages/{/id}/export", media_type: text/html }`;

export const oauthConfig = defineDerivedConfig(
  {
    title: 'OAuth providers',
    readBy: ['api', 'worker'],
    settings: {
      providers: setting.text('OAUTH_PROVIDERS', {
        allowed: 'YAML, or the path of a YAML file',
        defaultNote: 'none',
        description:
          'OAuth providers at which people authorise sources and connections. First register the service with each ' +
          'provider, with the redirect address PUBLIC_URL/v1/oauth/callback. `google_drive`, `notion` and `github` ' +
          'have a built-in description, so they need only the client; other keys replace parts of the description. ' +
          'Any other provider needs the whole description. Without `api`, the provider serves connections of tools, ' +
          'but no sources.',
        example: EXAMPLE,
      }),
    },
  },
  // The keys of `oauthProviders` are provider names, which are also connector names.
  ({ providers }, reader) => ({ oauthProviders: readOauthProviders(providers, reader) }),
);
export type OauthConfig = ConfigOf<typeof oauthConfig>;
