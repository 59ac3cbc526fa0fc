import type { JsonObject } from '@app/kernel';

const GOOGLE_DRIVE = {
  title: 'Google Drive',
  authorize_url: 'https://accounts.google.com/o/oauth2/v2/auth',
  token_url: 'https://oauth2.googleapis.com/token',
  revocation_url: 'https://oauth2.googleapis.com/revoke',
  issuer: 'https://accounts.google.com',
  scopes: ['https://www.googleapis.com/auth/drive.readonly'],
  authorize_parameters: { access_type: 'offline', prompt: 'select_account consent' },
  client_authentication: 'post',
};

const NOTION = {
  title: 'Notion',
  authorize_url: 'https://api.notion.com/v1/oauth/authorize',
  token_url: 'https://api.notion.com/v1/oauth/token',
  authorize_parameters: { owner: 'user' },
};

const GITHUB = {
  title: 'GitHub',
  authorize_url: 'https://github.com/login/oauth/authorize',
  token_url: 'https://github.com/login/oauth/access_token',
  scopes: ['repo'],
  // GitHub shows its consent page only once. This is the only prompt that it knows.
  authorize_parameters: { prompt: 'select_account' },
  client_authentication: 'post',
};

/** If the operator describes a provider of the same name, that description is merged into the built-in one. */
export const BUILT_IN_PROVIDERS: Readonly<Record<string, JsonObject>> = {
  google_drive: GOOGLE_DRIVE,
  notion: NOTION,
  github: GITHUB,
};
