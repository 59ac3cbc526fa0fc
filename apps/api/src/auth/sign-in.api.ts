import { ApiSchema } from '@nestjs/swagger';
import type { ErrorCode } from '@app/kernel';
import type { AuthorizedKey } from '@app/workspace';
import { ApiKeyResource, presentApiKey } from '../api-keys/api-keys.api.js';
import { Name, Nested, OneOf, Text } from '../http/fields.js';
import { Me } from '../workspace/workspace.api.js';

/** The answer to each sign-in. */
export const SIGNED_IN = {
  description: 'The person, as `GET /v1/me` presents them.',
  type: Me,
  headers: { 'Set-Cookie': 'Cookie of the session.' },
};

/** Refusals of each sign-in. */
export const SIGN_IN_PROBLEMS: readonly ErrorCode[] = [
  'invalid_sign_in',
  'sign_in_off',
  'https_required',
  'cross_site',
  'rate_limited',
];

@ApiSchema({ description: 'An API key to exchange for a session.' })
export class KeySignInBody {
  @Text({ longest: 512, description: 'Text of the API key.', example: 'aas_live_…' }) api_key: string;
}

@ApiSchema({ description: 'The token of a link.' })
export class LinkSignInBody {
  @Text({
    longest: 512,
    description: 'Part of the link after `#`.',
    example: 'wSXbtTGRYbFzQ1nUzMzwZ3mZ8sA3kYb7dVbC1r0x2Q4',
  })
  token: string;
}

@ApiSchema({ description: 'The address for a mail with a link and a code.' })
export class EmailSignInBody {
  @Text({ longest: 320, format: 'email', description: 'E-mail address of the person.', example: 'ada@example.com' })
  email: string;
}

@ApiSchema({ description: 'A code from a mail.' })
export class CodeSignInBody {
  @Text({
    longest: 320,
    format: 'email',
    description: 'Address that the mail was sent to.',
    example: 'ada@example.com',
  })
  email: string;
  @Text({ longest: 512, description: 'Code of six digits.', example: '481516' }) code: string;
}

export const SIGN_IN_WAYS = ['link', 'key', 'email', 'oidc'] as const;

@ApiSchema({ description: 'The ways to sign in here.' })
export class SignInMethods {
  @OneOf(SIGN_IN_WAYS, { list: true, description: 'Ways that are on offer.', example: ['link', 'key'] })
  methods: (typeof SIGN_IN_WAYS)[number][];
}

@ApiSchema({ description: 'A command line to authorise.' })
export class CliAuthorizationBody {
  @Text({
    pattern: /^[A-Za-z0-9_-]{43}$/,
    message: 'challenge must be an S256 code challenge of 43 characters (RFC 7636)',
    description: 'S256 code challenge of the verifier that the command line keeps (RFC 7636).',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  })
  challenge: string;
  @Name({ maxLength: 190, description: 'Name of the computer, for the name of the key.', example: 'ada-laptop' })
  name: string;
}

@ApiSchema({ description: 'A code that the command line exchanges for an API key.' })
export class CliAuthorization {
  @Text({ description: 'Code, valid for 60 seconds and once.', example: 'wSXbtTGRYbFzQ1nUzMzwZ3mZ8sA3kYb7dVbC1r0x2Q4' })
  code: string;
}

@ApiSchema({ description: 'A code and the proof that the command line asked for it.' })
export class CliTokenBody {
  @Text({ longest: 512, description: 'Code from the console.' }) code: string;
  @Text({ longest: 512, description: 'Code verifier of the challenge (RFC 7636).' }) verifier: string;
}

@ApiSchema({ description: 'The API key of a command line.' })
export class CliToken {
  @Text({ description: 'Text of the key. Only this response contains it.', example: 'aas_live_…' }) api_key: string;
  @Nested(ApiKeyResource, { description: 'The key without its text.' }) key: ApiKeyResource;
}

export function presentCliToken({ text, key }: AuthorizedKey): CliToken {
  return { api_key: text, key: presentApiKey(key) };
}

@ApiSchema({ description: 'The workspace to switch to.' })
export class SwitchWorkspaceBody {
  @Text({
    longest: 64,
    description: 'Id of the workspace. `GET /v1/me` lists those that are possible.',
    example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx',
  })
  workspace: string;
}
