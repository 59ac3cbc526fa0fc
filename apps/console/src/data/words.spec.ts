import { documentTypeText, periodText, placeText, word } from './words.js';

describe('word', () => {
  it('makes a value of a newer service readable', () => {
    expect(word('status', 'half_open')).toBe('half open');
    expect(word('status', 'constructor')).toBe('constructor');
  });

  it('names no policy for a denied call, because a person or an access list may have denied it', () => {
    expect([word('status', 'denied'), word('error', 'tool_denied')]).toEqual(['denied', 'call denied']);
  });
});

describe('periodText', () => {
  it.each([
    ['7d', '7 days'],
    ['1h', '1 hour'],
    ['90m', '90 minutes'],
    ['500ms', '500 milliseconds'],
    ['2026-01-31', '2026-01-31'],
  ])('turns %s into %s', (duration, text) => expect(periodText(duration)).toBe(text));
});

describe('documentTypeText', () => {
  it.each([
    ['text/markdown', 'Markdown'],
    ['text/x-new', 'text/x-new'],
    ['constructor', 'constructor'],
  ])('turns %s into %s', (type, text) => expect(documentTypeText(type)).toBe(text));
});

describe('placeText', () => {
  it.each([
    ['/policies/0', 'policy 1'],
    ['/policies/0/name', 'policy 1, `name`'],
    ['/tools/2/operations/refund/effect', 'tool 3, operation `refund`, `effect`'],
    ['/steps/1/switch/0/steps/2', 'step 2, `switch`, entry 1, step 3'],
    ['/tools', '`tools`'],
    ['/input/properties/a~1b', '`input`, property `a/b`'],
    ['', 'the whole document'],
  ])('says where %s is', (pointer, text) => expect(placeText(pointer)).toBe(text));
});
