import { ApiSchema } from '@nestjs/swagger';
import type { ErrorCode } from '@app/kernel';
import type { AuthorizedKey } from '@app/workspace';
import { ApiKeyResource, presentApiKey } from '../api-keys/api-keys.api.js';
import { Name, Nested, OneOf, Text } from '../http/fields.js';
import { Me } from '../workspace/workspace.api.js';

export const SIGNED_IN = {
  description: 'The person who signed in, as in `GET /v1/me`.',
  type: Me,
  example: { key: null },
  headers: { 'Set-Cookie': 'Cookie with the session.' },
};

export const SIGN_IN_PROBLEMS: readonly ErrorCode[] = [
  'invalid_sign_in',
  'sign_in_off',
  'https_required',
  'cross_site',
  'rate_limited',
];

@ApiSchema({ description: 'An API key to exchange for a session.' })
export class KeySignInBody {
  @Text({ longest: 512, description: 'The API key itself.', example: 'aas_live_…' }) api_key: string;
}

@ApiSchema({ description: 'The token of a link.' })
export class LinkSignInBody {
  @Text({
    longest: 512,
    description: 'Token: the part of the link after `#`.',
    example: 'wSXbtTGRYbFzQ1nUzMzwZ3mZ8sA3kYb7dVbC1r0x2Q4',
  })
  token: string;
}

@ApiSchema({ description: 'The address to which a sign-in e-mail is sent.' })
export class EmailSignInBody {
  @Text({ longest: 320, format: 'email', description: 'E-mail address of the person.', example: 'ada@example.com' })
  email: string;
}

@ApiSchema({ description: 'The code from a sign-in e-mail.' })
export class CodeSignInBody {
  @Text({
    longest: 320,
    format: 'email',
    description: 'E-mail address that the code was sent to.',
    example: 'ada@example.com',
  })
  email: string;
  @Text({ longest: 512, description: 'Code of six digits.', example: '481516' }) code: string;
}

export const SIGN_IN_WAYS = ['link', 'key', 'email', 'oidc'] as const;

@ApiSchema({ description: 'The sign-in methods of this installation.' })
export class SignInMethods {
  @OneOf(SIGN_IN_WAYS, { list: true, description: 'Sign-in methods that are available.', example: ['link', 'key'] })
  methods: (typeof SIGN_IN_WAYS)[number][];
}

@ApiSchema({ description: 'A request to authorise the CLI.' })
export class CliAuthorizationBody {
  @Text({
    pattern: /^[A-Za-z0-9_-]{43}$/,
    message: 'challenge must be an S256 code challenge of 43 characters (RFC 7636)',
    description: 'S256 code challenge, derived from the verifier that the CLI keeps (RFC 7636).',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  })
  challenge: string;
  @Name({
    maxLength: 190,
    description: 'Name of the computer. It becomes part of the name of the key.',
    example: 'ada-laptop',
  })
  name: string;
}

@ApiSchema({ description: 'A code that the CLI exchanges for an API key.' })
export class CliAuthorization {
  @Text({
    description: 'Code. It can be used once, within 60 seconds.',
    example: 'wSXbtTGRYbFzQ1nUzMzwZ3mZ8sA3kYb7dVbC1r0x2Q4',
  })
  code: string;
}

@ApiSchema({ description: 'An authorisation code, and the proof that the CLI requested it.' })
export class CliTokenBody {
  @Text({ longest: 512, description: 'Code that the console received.' }) code: string;
  @Text({ longest: 512, description: 'Code verifier of the challenge (RFC 7636).' }) verifier: string;
}

@ApiSchema({ description: 'The API key of the CLI.' })
export class CliToken {
  @Text({ description: 'The key itself. Only this response contains it.', example: 'aas_live_…' }) api_key: string;
  @Nested(ApiKeyResource, { description: 'The properties of the key, without the key itself.' }) key: ApiKeyResource;
}

export function presentCliToken({ text, key }: AuthorizedKey): CliToken {
  return { api_key: text, key: presentApiKey(key) };
}

@ApiSchema({ description: 'The workspace to switch to.' })
export class SwitchWorkspaceBody {
  @Text({
    longest: 64,
    description: 'Id of the workspace. `GET /v1/me` lists the possible workspaces.',
    example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx',
  })
  workspace: string;
}
