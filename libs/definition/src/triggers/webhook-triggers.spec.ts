import { compareDefinitions, compileDefinition, parseDefinition } from '../index.js';
import { LIMITS } from '../testing/limits.js';

const PLAN = `name: x
steps: [{ id: a, output: 1 }]
`;

function parsed(trigger: string) {
  const answer = parseDefinition(`${PLAN}triggers: [{ id: hook, type: webhook, ${trigger} }]\n`, 'yaml', LIMITS);
  return answer.ok
    ? {
        errors: [],
        warnings: answer.warnings.map(({ pointer }) => pointer),
        secrets: answer.secrets.map(({ name }) => name),
      }
    : { errors: answer.errors.map(({ pointer, suggestion }) => [pointer, suggestion]), warnings: [], secrets: [] };
}

const triggerOf = (members: object) => {
  const definition = {
    name: 'x',
    steps: [{ id: 'a', output: 1 }],
    triggers: [{ id: 'hook', type: 'webhook', ...members }],
  };
  const [trigger] = compileDefinition(definition).triggers;
  return trigger?.kind === 'webhook' ? trigger : undefined;
};

const SECRET = '${{ secrets.KEY }}';

describe('auth of a webhook trigger', () => {
  const mistakes: [what: string, auth: string, pointer: string, suggestion: string | undefined][] = [
    ['an unknown scheme', `{ scheme: strip, secret: "${SECRET}" }`, '/scheme', 'Did you mean `stripe`?'],
    ['a secret in the open', '{ scheme: slack, secret: abc }', '/secret', 'Store the value with `PUT /v1/secrets/{name}` and write `"${{ secrets.NAME }}"`.'],
    ['more than a reference', `{ scheme: slack, secret: "a${SECRET}" }`, '/secret', 'Store the value with `PUT /v1/secrets/{name}` and write `"${{ secrets.NAME }}"`.'],
    ['no secret', '{ scheme: slack }', '', 'Add `secret`: Secret of the sender, as `${{ secrets.NAME }}`.'],
    ['no header for hmac', `{ scheme: hmac, secret: "${SECRET}" }`, '', 'Add `header`: Header that contains the signature.'],
    ['a key of another scheme', `{ scheme: github, secret: "${SECRET}", username: ann }`, '/username', 'Allowed keys are `scheme`, `secret`.'],
    ['a tolerance in words', `{ scheme: slack, secret: "${SECRET}", tolerance: 5 min }`, '/tolerance', 'Write a whole number and a unit: `500ms`, `20s`, `10m`, `24h` or `30d`, up to `9999d`.'],
  ]; // prettier-ignore

  it.each(mistakes)('with %s is refused with its place and a remedy', (_what, auth, pointer, suggestion) => {
    expect(parsed(`auth: ${auth}`).errors).toEqual([[`/triggers/0/auth${pointer}`, suggestion]]);
  });

  it('names its secrets', () => {
    const meta = `auth: { scheme: meta, secret: "${SECRET}", verify_token: "\${{ secrets.VERIFY }}" }`;
    expect(parsed(meta)).toEqual({ errors: [], warnings: [], secrets: ['KEY', 'VERIFY'] });
  });

  it('has the defaults of its scheme', () => {
    expect(triggerOf({ auth: { scheme: 'slack', secret: SECRET } })?.auth).toEqual({
      scheme: 'slack',
      secret: 'KEY',
      toleranceMs: 300_000,
    });
    expect(triggerOf({ auth: { scheme: 'hmac', secret: SECRET, header: 'X-Sig' } })?.auth).toEqual({
      scheme: 'hmac',
      secret: 'KEY',
      header: 'x-sig',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: '',
    });
    expect(triggerOf({})).toMatchObject({ auth: null, respond: null });
  });

  it('is a critical change when it is lost', () => {
    const version = (members: object) => ({
      name: 'x',
      steps: [],
      triggers: [{ id: 'hook', type: 'webhook', ...members }],
    });
    const auth = { scheme: 'github', secret: SECRET };
    const severities = (before: object, after: object) =>
      compareDefinitions(version(before), version(after)).capabilityChanges.map(
        ({ kind, severity, pointer }) => `${severity} ${kind} ${pointer}`,
      );
    expect(severities({ auth }, {})).toEqual(['critical trigger_changed /triggers/0']);
    expect(severities({}, { auth })).toEqual(['warning trigger_changed /triggers/0']);
    expect(severities({ auth }, { auth: { ...auth, scheme: 'meta', verify_token: SECRET } })).toEqual([
      'warning trigger_changed /triggers/0',
    ]);
  });
});

describe('respond of a webhook trigger', () => {
  const mistakes: [what: string, respond: string, pointer: string, suggestion: string | undefined][] = [
    ['too long a wait', '{ wait: 61s }', '/wait', 'Write `60s` or less.'],
    ['a status that is no answer', '{ status: 101 }', '/status', 'Write for example `200`, or a template: `${{ output.status }}`.'],
    ['a status in words', '{ status: ok }', '/status', 'Write for example `200`, or a template: `${{ output.status }}`.'],
    ['a secret in the body', '{ body: "${{ secrets.KEY }}" }', '/body', undefined],
  ]; // prettier-ignore

  it.each(mistakes)('with %s is refused with its place', (_what, respond, pointer, suggestion) => {
    expect(parsed(`respond: ${respond}`).errors).toEqual([[`/triggers/0/respond${pointer}`, suggestion]]);
  });

  it('leaves out headers that an answer never has, with a warning', () => {
    expect(parsed('respond: { headers: { Set-Cookie: a=b, X-Kind: test } }').warnings).toEqual([
      '/triggers/0/respond/headers/Set-Cookie',
    ]);
    const respond = triggerOf({ respond: { headers: { 'Set-Cookie': 'a=b', 'X-Kind': 'test' } } })?.respond;
    expect([...(respond?.headers.keys() ?? [])]).toEqual(['x-kind']);
    expect(respond?.waitMs).toBe(10_000);
  });

  it.each(['Strict-Transport-Security', 'Alt-Svc', 'Clear-Site-Data', 'Service-Worker-Allowed', 'NEL', 'Report-To'])(
    'never sets %s, which browsers apply to the origin of the console',
    (name) => {
      expect(parsed(`respond: { headers: { ${name}: "1" } }`).warnings).toEqual([
        `/triggers/0/respond/headers/${name}`,
      ]);
      expect(triggerOf({ respond: { headers: { [name]: '1' } } })?.respond?.headers).toEqual(new Map());
    },
  );

  it('sets the headers of its own response', () => {
    const headers = { Location: '/x', 'Access-Control-Allow-Origin': 'https://shop.example' };
    const respond = triggerOf({ respond: { headers } })?.respond;
    expect([...(respond?.headers.keys() ?? [])]).toEqual(['location', 'access-control-allow-origin']);
  });

  it('can read the output, the run, the body and the trigger', () => {
    const templates = ['output.a', 'run.status', 'body.b', 'trigger.id'].map((name) => `"\${{ ${name} }}"`).join(', ');
    expect(parsed(`respond: { status: "\${{ output.status }}", body: [${templates}] }`).errors).toEqual([]);
  });
});
