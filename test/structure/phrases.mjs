/**
 * Phrases that this project does not use, because they read as translated, or because they are metaphors for which
 * there is a technical term. Each phrase has a replacement. All phrases are searched for in comments, strings, SQL
 * comments and documents. Only the metaphors are searched for in the names of files, classes and functions.
 */

/** Maximum width of comments, which is that of the code. */
export const MOST_COLUMNS = 120;

/** Metaphors. They are searched for in names too. */
const METAPHORS = [
  [/doorbells?|bell|rings?|rung/, 'job, enqueue or wake-up; notify for LISTEN/NOTIFY'],
  [/keepers?/, 'what it does: partition maintenance, scheduler, supervisor'],
  [/belts?/, 'row-level security or tenant role'],
  [/disown(s|ed|ing)?/, 'release ownership'],
  [/tend(s|ed)?(?! to\b)/, 'sweep'],
  [/beats?|beating/, 'heartbeat'],
  [/forgets?|forgot|forgotten|forgetting/, 'purge (verb) or retention (policy)'],
  [/journals?/, 'run store, trace, event or trigger event'],
];

/** "Ending" is plain English in a sentence, as in "an ending process". In a name, it is a metaphor. */
const ENDING_AS_NAME = [/endings?/, 'outcome, result or shutdown'];
const ENDING_IN_TEXT = [/(?<!line )endings|(?:the|an|its|their|each) ending/, 'outcome, result or shutdown'];

const TRANSLATED = [
  [/what (became|becomes|has become) of/, 'the outcome of'],
  [/whoever/, 'the caller, the worker, the reader'],
  [/what (is|was) old/, 'expired rows'],
  [/belongs? into/, 'belongs to'],
  [/at the most/, 'at most'],
  [/for so long/, 'for that time'],
  [/comes? again/, 'returns, is repeated'],
  [/in vain/, 'without a result'],
  [/told/, 'notified, reported, given'],
  [/(is|are|was|were) said/, 'reported, stated'],
  [/(go|goes|went) on/, 'continues'],
  [/(is|are|was|were) at it/, 'is working on it'],
  [/be it/, 'whether'],
  [/of late/, 'recently'],
  [/so to (say|speak)/, 'nothing'],
  [/anew/, 'again'],
  [/(come|comes|came) to (its|their|an|the) end/, 'ends'],
  [/gets on/, 'continues'],
  [/there (is one|are two|are three) of/, 'there is a ... for each'],
  [/besides/, 'also, in addition to'],
  [/stands?(?= (in|at|behind|beside|before|there|here|with|between|above|below|first|last)\b)/, 'is, is written'],
  [/in hand/, 'in progress'],
  [/lets? go/, 'suspend or release'],
  [/like (after|before)/, 'as after, as before'],
  [/rules? of the house|house rules?/, 'rules of this project'],
  [/nobody|somebody|everybody|anybody/, 'the actor: no caller, a person, every worker'],
];

/**
 * Patterns for the text around a phrase in a quoted string without spaces. Such a string is a value, for example a
 * stored status or an address, and not prose.
 */
const VALUE = { before: /['"][\w.,@:/-]*$/, after: /^[\w.,@:/-]*['"]/ };

/**
 * Compiles the phrases to regular expressions. A space in a phrase also matches a line break with its comment marker.
 */
const compile = (entries) =>
  entries.map(([phrase, instead]) => [new RegExp(`\\b(?:${phrase.source.replaceAll(' ', ' +')})\\b`, 'gi'), instead]);
const IN_NAMES = compile([...METAPHORS, ENDING_AS_NAME]);
const IN_TEXT = compile([...METAPHORS, ENDING_IN_TEXT, ...TRANSLATED]);

/**
 * @returns {{index: number, phrase: string, instead: string}[]} the phrases of a text; a line break counts as a space
 */
export function phrasesIn(text) {
  return find(
    IN_TEXT,
    text.replace(/\s*\n\s*(?:\*|--|\/\/|#)?\s?/g, (gap) => ' '.padEnd(gap.length)),
  );
}

/**
 * @returns {{index: number, phrase: string, instead: string}[]} the metaphors in a name such as `RunKeeper` or
 * `run-keeper.ts`
 */
export function metaphorsIn(name) {
  return find(IN_NAMES, name.replace(/([a-z0-9])(?=[A-Z])/g, '$1 ').replace(/[-_.]/g, ' '));
}

function find(phrases, text) {
  return phrases.flatMap(([phrase, instead]) =>
    [...text.matchAll(phrase)]
      .map(({ index, 0: found }) => ({ index, phrase: found, instead }))
      .filter(({ index, phrase: { length } }) => !isValue(text, index, length)),
  );
}

function isValue(text, index, length) {
  const [before, after] = [text.slice(Math.max(0, index - 80), index), text.slice(index + length, index + length + 80)];
  return VALUE.before.test(before) && VALUE.after.test(after);
}
