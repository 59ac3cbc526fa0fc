import { randomBytes } from 'node:crypto';
import type { CompiledVersionsService } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import { SealedBox } from '@app/platform/crypto';
import type { RunStore } from '../store/run.store.js';
import { RunPrivaciesService } from './run-privacies.service.js';
import type { RunPrivacy } from './run-privacy.js';
import { redactedParts, shownObject } from './sealed-value.js';

const CALLER = { workspaceId: 'wsp_1', agentId: 'agt_1' };
const CALLED = { workspaceId: 'wsp_1', agentId: 'agt_2' };
const NO_PATHS = { redactPaths: [] };
const EMAIL = 'ada@example.com';
// The store and the versions are only used to open claimed runs, which these tests do not do.
const [store, versions] = [{} as RunStore, {} as CompiledVersionsService];
const privacies = new RunPrivaciesService(new SealedBox([randomBytes(32)]), store, versions);

/** Returns the stored input of the called run, and its privacy as a worker that claims the run gets it. */
function called(caller: RunPrivacy, request: JsonObject): { input: JsonObject; privacy: RunPrivacy } {
  const first = privacies.of(CALLED, NO_PATHS, caller.handedDown(request, ['tools', 'helper', 'run', 'request']));
  const input = first.sealedObject(request, ['input']);
  const privacy = privacies.ofRun({ ...CALLED, input }, NO_PATHS);
  privacy.sealedObject(privacy.openedObject(input), ['input']);
  return { input, privacy };
}

describe('the redaction that a run inherits from its caller', () => {
  const aCaller = (...paths: string[]): RunPrivacy => {
    const caller = privacies.of(CALLER, { redactPaths: paths.map((path) => path.split('.')) });
    caller.sealed({ email: EMAIL, pin: 42, card: { number: '4242 4242', month: 7 } }, ['input']);
    return caller;
  };

  it('covers the members of the request that are redacted, and no others', () => {
    const request = { to: EMAIL, text: `Write to ${EMAIL} now`, all: ['a', EMAIL], deep: { to: EMAIL, n: 1 }, n: 2 };
    const { input, privacy } = called(aCaller('input.email'), request);
    const shown = {
      to: '[redacted]',
      text: 'Write to [redacted] now',
      all: ['a', '[redacted]'],
      deep: { to: '[redacted]', n: 1 },
      n: 2,
    };
    expect(shownObject(input)).toEqual(shown);
    expect(privacy.openedObject(input)).toEqual(request);
    expect(privacy.redactsNothing).toBe(false);
    expect(shownObject(privacy.sealedObject({ copy: `<${EMAIL}>` }))).toEqual({ copy: '<[redacted]>' });
    expect(privacy.text(`no mailbox ${EMAIL}`)).toBe('no mailbox [redacted]');
  });

  it('covers a text that the request contains only as a part of other texts', () => {
    const { privacy } = called(aCaller('input.email'), { text: `Write to ${EMAIL} or ${EMAIL}!` });
    expect(shownObject(privacy.sealedObject({ to: EMAIL }))).toEqual({ to: '[redacted]' });
  });

  it('covers short values and whole objects at the places of redacted arguments', () => {
    const caller = aCaller('tools.helper.run.request.pin', 'tools.helper.run.request.card');
    const { input, privacy } = called(caller, { pin: 42, card: { number: '4242 4242', month: 7 } });
    expect(shownObject(input)).toEqual({ pin: '[redacted]', card: '[redacted]' });
    expect(shownObject(privacy.sealedShow({ 'input.pin': 42, 'input.card.month': 7, 'input.n': 42 }))).toEqual({
      'input.pin': '[redacted]',
      'input.card.month': '[redacted]',
      'input.n': 42,
    });
  });

  it('is handed down to the runs that the called run calls, and to its replays', () => {
    const { input, privacy } = called(aCaller('input.email'), { to: EMAIL });
    const below = called(privacy, { address: EMAIL });
    expect(shownObject(below.input)).toEqual({ address: '[redacted]' });
    const replay = privacies.of(CALLED, NO_PATHS, privacies.inherited({ ...CALLED, input }));
    expect(shownObject(replay.sealedObject({ to: EMAIL }, ['input']))).toEqual({ to: '[redacted]' });
  });

  it('is nothing if the caller redacts nothing in the request, also if data looks like a sealed value', () => {
    const odd = { odd: { $sealed: 'no', shown: '[redacted]' } };
    expect(aCaller('input.email').handedDown({ to: 'eve@example.com' })).toBeUndefined();
    expect(privacies.of(CALLER, NO_PATHS).handedDown(odd)).toBeUndefined();
    expect(privacies.ofRun({ ...CALLED, input: odd }, NO_PATHS).redactsNothing).toBe(true);
  });

  it.each([
    ['mail ada now', 'mail [redacted] now', ['ada']],
    ['ada', '[redacted]', ['ada']],
    ['ada and bob', '[redacted] and [redacted]', ['ada', 'bob']],
    ['adabob', '[redacted][redacted]', ['adabob']],
    ['plain', 'plain', []],
  ])('finds in %j, shown as %j, the parts %j', (text, shown, parts) => {
    expect(redactedParts(text, shown)).toEqual(parts);
  });
});
