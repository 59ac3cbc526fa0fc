import { invalidRequest } from '@app/platform/json-shape';
import { type ConfigRules, isWebUrl, wrongUrl } from '../contract/connector.js';
import { CREDENTIAL_HINTS, SECRET_REFERENCE } from '../contract/secret-references.js';

/** Each readable file of the latest commit of the branch is a document. */
export type GitConfig = {
  url: string;
  branch: string | null;
  /** Path prefixes below the root, in which `*` matches any text. If the list is empty, all files are read. */
  include_paths: string[];
  exclude_paths: string[];
  /** `username` is the user name that the git host expects with the token. */
  auth: { username: string; secret?: string };
  web_url: string | null;
};

const PATHS = {
  type: 'array',
  maxItems: 200,
  default: [],
  items: { type: 'string', minLength: 1, maxLength: 1_000, pattern: '^[^/]' },
};

export const GIT_CONFIG: ConfigRules<GitConfig> = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['url'],
    properties: {
      url: {
        type: 'string',
        minLength: 1,
        maxLength: 2_000,
        title: 'Repository',
        description: 'Address over HTTPS, for example https://git.example.com/handbook.git.',
      },
      branch: {
        type: ['string', 'null'],
        default: null,
        pattern: '^[A-Za-z0-9_][A-Za-z0-9_./+@-]{0,199}$',
        title: 'Branch',
        description: 'If empty, the default branch of the repository.',
      },
      include_paths: {
        ...PATHS,
        title: 'Only these paths',
        description: 'Beginnings of paths, for example docs/. * matches any text. If empty, all files are read.',
      },
      exclude_paths: { ...PATHS, title: 'Not these paths', description: 'Beginnings of paths, for example archive/.' },
      auth: {
        type: 'object',
        additionalProperties: false,
        default: {},
        hints: CREDENTIAL_HINTS,
        title: 'Sign-in for a private repository',
        properties: {
          username: {
            type: 'string',
            pattern: '^[\\x21-\\x39\\x3b-\\x7e]{1,100}$',
            default: 'x-access-token',
            title: 'User name',
          },
          secret: { ...SECRET_REFERENCE, title: 'Token' },
        },
      },
      web_url: {
        type: ['string', 'null'],
        default: null,
        maxLength: 2_000,
        title: 'Address of the files',
        description: 'Beginning of the links to the files. The path of each file is appended.',
      },
    },
  },
  check: checkGit,
};

function checkGit({ url, web_url }: GitConfig, at: string): void {
  if (!isWebUrl(url)) throw invalidRequest([wrongUrl(`${at}/url`)]);
  if (web_url !== null && !isWebUrl(web_url)) throw invalidRequest([wrongUrl(`${at}/web_url`)]);
}
