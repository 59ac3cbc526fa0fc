import type { JsonValue } from '@app/kernel';
import { evaluated, failureOf } from './testing/evaluating.js';

const input = { text: 'a😀b', n: 1, many: 'x,y,z', items: ['b', 'a'] };

describe('functions on text', () => {
  it.each<[string, JsonValue]>([
    ['"a😀b".charAt(1)', '😀'],
    ['"abc".charAt(3)', ''],
    ['input.text.charAt(2)', 'b'],
    ['"a😀b".substring(1)', '😀b'],
    ['"a😀b".substring(1, 2)', '😀'],
    ['"abc".substring(3)', ''],
    ['"abc".substring(1, 1)', ''],
    ['"a😀b".indexOf("b")', 2],
    ['"a😀b".indexOf("b", 2)', 2],
    ['"abc".indexOf("c", 9)', -1],
    ['"abc".indexOf("z")', -1],
    ['"abc".indexOf("", 1)', 1],
    ['"abc".indexOf("", 3)', 3],
    ['"a😀a".lastIndexOf("a")', 2],
    ['"a😀a".lastIndexOf("a", 1)', 0],
    ['"abab".lastIndexOf("ab", 2)', 2],
    ['"abc".lastIndexOf("a", 9)', -1],
    ['"abc".lastIndexOf("")', 3],
    ['"a-b-c".replace("-", "+")', 'a+b+c'],
    ['"a-b-c".replace("-", "+", 1)', 'a+b-c'],
    ['"a-b-c".replace("-", "+", 0)', 'a-b-c'],
    ['"a-b-c".replace("-", "+", -1)', 'a+b+c'],
    ['"a😀".replace("", "_")', '_a_😀_'],
    ['"abc".replace("", "_", 2)', '_a_bc'],
    ['"abc".replace("", "_", 4)', '_a_b_c_'],
    ['"".replace("", "_")', '_'],
    ['"abc".replace("b", "$&")', 'a$&c'],
    ['"  a ".trim()', 'a'],
    ['"AÉz".lowerAscii()', 'aÉz'],
    ['"aéZ".upperAscii()', 'AéZ'],
    ['"a😀b".reverse()', 'b😀a'],
    ['"a,b,c".split(",")', ['a', 'b', 'c']],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['"a,b,c".split(",", 0)', []],
    ['"a,b,c".split(",", 1)', ['a,b,c']],
    ['"a,b,c".split(",", -1)', ['a', 'b', 'c']],
    ['"a😀b".split("")', ['a', '😀', 'b']],
    ['"a😀b".split("", 2)', ['a', '😀b']],
    ['"".split(",")', ['']],
    ['["a", "b"].join()', 'ab'],
    ['["a", "b"].join(", ")', 'a, b'],
    ['[].join(", ")', ''],
    ['input.items.join("+")', 'b+a'],
    [String.raw`strings.quote("a\"b\n\\")`, String.raw`"a\"b\n\\"`],
  ])('%s', (source, expected) => {
    expect(evaluated(source, input)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['"abc".charAt(-1)', 'out_of_bounds'],
    ['"abc".charAt(4)', 'out_of_bounds'],
    ['"abc".substring(-1)', 'out_of_bounds'],
    ['"abc".substring(4)', 'out_of_bounds'],
    ['"a😀".substring(3)', 'out_of_bounds'],
    ['"abc".substring(1, 4)', 'out_of_bounds'],
    ['"abc".substring(2, 1)', 'out_of_bounds'],
    ['"abc".indexOf("a", -1)', 'out_of_bounds'],
    ['"abc".lastIndexOf("a", -1)', 'out_of_bounds'],
    ['["a", 1].join()', 'type'],
    ['input.n.trim()', 'type'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source, input).code).toBe(code);
  });

  it.each([
    ['input.text.substring(input.n)', 'Write `int(input.n)`.'],
    ['input.text.charAt(1.0)', 'Write `int(1.0)`.'],
    ['input.many.split(",", input.n)', 'Write `int(input.n)`.'],
    ['input.text.charAt(input.list[0].n)', 'Write `int(input.list[0].n)`.'],
    ['lists.range(input.n)', 'Write `int(input.n)`.'],
    ['input.items.slice(0, input.n)', 'Write `int(input.n)`.'],
  ])('%s is refused when it is compiled: numbers from data are doubles', (source, suggestion) => {
    expect(failureOf(source, input)).toMatchObject({ code: 'type', suggestion });
  });

  it('suggests int(…) when it is evaluated, if the type was not known before', () => {
    const { suggestion } = failureOf('[input.n].map(n, "abc".charAt(n))', input);
    expect(suggestion).toContain('Write `int(n)`.');
  });
});

describe('format', () => {
  it.each<[string, JsonValue]>([
    ['"%s %s".format(["a", 1])', 'a 1'],
    ['"%s".format([[1, "b", null, [2.5]]])', '[1, b, null, [2.5]]'],
    ['"%s".format([{"b": true, "a": 1}])', '{a: 1, b: true}'],
    ['"%s".format([timestamp("2026-03-09T13:05:00.5Z")])', '2026-03-09T13:05:00.5Z'],
    ['"%s".format([duration("90s")])', '90s'],
    ['"%d%%".format([5])', '5%'],
    ['"%.2f".format([2.345])', '2.35'],
    ['"%.0f %.0f".format([2.5, 3.5])', '2 4'],
    ['"%f".format([1])', '1.000000'],
    ['"%.1f".format([-0.25])', '-0.2'],
    ['"%.2f".format([1e21])', '1000000000000000000000.00'],
    ['"%e".format([1052.032911275])', '1.052033e+03'],
    ['"%.1e".format([0.00001])', '1.0e-05'],
    ['"%x %X %o %b".format([255, 255, 8, 5])', 'ff FF 10 101'],
    ['"%x".format(["hi"])', '6869'],
    ['"%b".format([true])', '1'],
    ['"%x".format([-255])', '-ff'],
    ['"no clause".format([])', 'no clause'],
  ])('%s', (source, expected) => {
    expect(evaluated(source)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['"%s %s".format([1])', 'out_of_bounds'],
    ['"%d".format([1.5])', 'type'],
    ['"%d".format(["a"])', 'type'],
    ['"%f".format(["a"])', 'type'],
    ['"%q".format([1])', 'failed'],
    ['"100%".format([1])', 'failed'],
    ['"%.999f".format([1.0])', 'failed'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source).code).toBe(code);
  });
});

describe('regular expressions', () => {
  it.each<[string, JsonValue]>([
    ['regex.extract("hello world", "hello(.*)")', ' world'],
    ['regex.extract("hello world", "w.r")', 'wor'],
    ['regex.extract("hello", "x").hasValue()', false],
    ['regex.extract("hello", "hello(x*)")', null],
    ['regex.extract("hello", "x").orValue("none")', 'none'],
    ['regex.extract("item-A, item-B", "item-(\\\\w)")', 'A'],
    ['regex.extract("aaa", "a+?")', 'a'],
    ['regex.extract("foobar", "foo|foobar")', 'foo'],
    ['regex.extract("a😀b", "a(.)b")', '😀'],
    ['regex.extract("ab\\ncd", "(?m)^c.$")', 'cd'],
    ['regex.extract("ABC", "(?i)b")', 'B'],
    ['regex.extract("one two", r"\\btwo\\b")', 'two'],
    ['regex.extractAll("a1b22", "[0-9]+")', ['1', '22']],
    ['regex.extractAll("id:1, id:, id:3", "id:([0-9]*)")', ['1', '3']],
    ['regex.extractAll("abc", "x")', []],
    ['regex.extractAll("ab", "a*")', ['a', '']],
    ['regex.replace("banana", "an", "x")', 'bxxa'],
    ['regex.replace("banana", "an", "x", 1)', 'bxana'],
    ['regex.replace("banana", "an", "x", 0)', 'banana'],
    ['regex.replace("banana", "an", "x", -5)', 'bxxa'],
    [String.raw`regex.replace("John Smith", "(\\w+) (\\w+)", "\\2, \\1")`, 'Smith, John'],
    [String.raw`regex.replace("ab", "(a)|(b)", "[\\1\\2]")`, '[a][b]'],
    [String.raw`regex.replace("ab", "a", "\\\\")`, '\\b'],
    [String.raw`regex.replace("ab", "a", "<\\0>")`, '<a>b'],
    ['regex.replace("abc", "", "-")', '-a-b-c-'],
    ['regex.replace("abc", "x*", "-")', '-a-b-c-'],
    ['regex.replace("baac", "a*", "-")', '-b-c-'],
    ['"abc".matches("^a.c$")', true],
  ])('%s', (source, expected) => {
    expect(evaluated(source)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['regex.extract("a", "(")', 'syntax'],
    ['regex.extract("a", "(?=a)")', 'syntax'],
    ['regex.extract("a", input.pattern)', 'failed'],
    ['regex.extract("ab", "(a)(b)")', 'failed'],
    ['regex.extractAll("ab", "(a)(b)")', 'failed'],
    [String.raw`regex.replace("ab", "a", "\\1")`, 'failed'],
    [String.raw`regex.replace("ab", "a", "\\x")`, 'failed'],
    [String.raw`regex.replace("ab", "a", "x\\")`, 'failed'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source, { pattern: '(' }).code).toBe(code);
  });

  it('finds the same parts as the regular expressions of JavaScript', () => {
    const text = 'The order #123 (of 2026-03-09) costs 1,234.50 EUR; order #7 is free.';
    const patterns = [
      '#(\\d+)',
      '\\w+',
      '[A-Z]+',
      '(?:a|e)r',
      'o.*?d',
      '\\d{2,3}',
      '[^a-z ]+',
      '\\s(\\S)\\S*\\s',
      '$',
      '^',
    ];
    for (const pattern of patterns) {
      const found = [...text.matchAll(new RegExp(pattern, 'g'))].map((match) => match[1] ?? match[0]);
      expect(evaluated(`regex.extractAll(input.text, ${JSON.stringify(pattern)})`, { text })).toEqual(found);
    }
  });

  it('stops a search that would read the text again for each match', () => {
    const text = 'a'.repeat(200_000);
    expect(failureOf('regex.extractAll(input.text, "a(.*z)?")', { text }).code).toBe('cost');
  });

  it('reads a megabyte of text', () => {
    const text = 'word 12, '.repeat(116_000);
    expect(evaluated('size(regex.extractAll(input.text, "[0-9]+"))', { text })).toBe(116_000);
    expect(evaluated('size(regex.replace(input.text, "word", "w"))', { text })).toBe(116_000 * 6);
  });
});
