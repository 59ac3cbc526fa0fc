import { matching, namedOption, readTyped } from './known-options.js';

const AGENTS = [
  { value: 'agt_1', label: 'late-refunds' },
  { value: 'agt_2', label: 'refund-desk', detail: 'Pays refunds of shop orders' },
  { value: 'agt_3', label: 'support' },
];

describe('known options', () => {
  it('match by words of label, detail and value, those that begin with the text first', () => {
    const found = (text: string) => matching(AGENTS, text).map(({ value }) => value);
    expect(found('')).toEqual(['agt_1', 'agt_2', 'agt_3']);
    expect(found('Refund')).toEqual(['agt_2', 'agt_1']);
    expect(found('shop desk')).toEqual(['agt_2']);
    expect(found('agt_3')).toEqual(['agt_3']);
    expect(found('nothing')).toEqual([]);
  });

  it('are named by their label or their value', () => {
    expect(namedOption(AGENTS, ' SUPPORT ')?.value).toBe('agt_3');
    expect(namedOption(AGENTS, 'agt_1')?.label).toBe('late-refunds');
    expect(namedOption(AGENTS, 'refund')).toBeUndefined();
  });

  it('are read from a pasted text, and others are refused with their name', () => {
    expect(readTyped(AGENTS, 'support, refund-desk\n', { noun: 'agent' })).toEqual({ values: ['agt_3', 'agt_2'] });
    expect(readTyped(AGENTS, 'support; suport', { noun: 'agent' })).toEqual({
      values: [],
      problem: 'There is no agent "suport". Choose an entry of the list.',
    });
  });

  it('take other texts only in their form', () => {
    const others = { read: (text: string) => (text.includes('@') ? text : undefined), form: 'an e-mail address' };
    expect(readTyped([], 'ada@example.com', { noun: 'user', others }).values).toEqual(['ada@example.com']);
    expect(readTyped([], 'ada', { noun: 'user', others }).problem).toContain('"ada" is not in the list');
  });
});
