import type { HttpParameter } from '@app/definition';
import type { JsonValue } from '@app/kernel';
import { headerText, pathText, queryPairs } from './parameter-style.js';

type Style = HttpParameter['style'];

const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };
const color = (style: Style, explode: boolean) => ({ name: 'color', style, explode });

// The table of OpenAPI 3.1.1, section 4.8.12.4.
describe('the style of a parameter', () => {
  it.each<[Style, boolean, string, string, string]>([
    ['matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    ['matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
    ['label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ])('%s in the path, explode: %s', (style, explode, text, list, object) => {
    const parameter = color(style, explode);
    expect(['blue', LIST, OBJECT].map((value) => pathText(parameter, value))).toEqual([text, list, object]);
  });

  it.each<[Style, boolean, string, string]>([
    ['form', false, 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    ['form', true, 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
    ['spaceDelimited', false, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
    ['pipeDelimited', false, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ])('%s in the query, explode: %s', (style, explode, list, object) => {
    const parameter = color(style, explode);
    expect([LIST, OBJECT].map((value) => queryPairs(parameter, value).join('&'))).toEqual([list, object]);
    expect(queryPairs(parameter, 'blue')).toEqual(['color=blue']);
  });

  it.each<[JsonValue, string]>([
    [OBJECT, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    [{ created: { gte: 1 } }, 'color%5Bcreated%5D%5Bgte%5D=1'],
    [{ items: [{ price: 'p 1' }, { price: null }] }, 'color%5Bitems%5D%5B0%5D%5Bprice%5D=p%201'],
    [['a', 'b'], 'color%5B0%5D=a&color%5B1%5D=b'],
  ])('deepObject: %j', (value, pairs) => {
    expect(queryPairs(color('deepObject', true), value).join('&')).toBe(pairs);
  });

  it('simple in a header', () => {
    const values: JsonValue[] = ['blue, light', LIST, OBJECT];
    expect(values.map((value) => headerText(color('simple', false), value))).toEqual([
      'blue, light',
      'blue,black,brown',
      'R,100,G,200,B,150',
    ]);
    expect(headerText(color('simple', true), OBJECT)).toBe('R=100,G=200,B=150');
  });

  it('encodes items, but not the delimiters between them', () => {
    expect(queryPairs(color('form', false), ['a,b', 'c&d'])).toEqual(['color=a%2Cb,c%26d']);
    expect(pathText(color('simple', false), ['a/b', 'c,d'])).toBe('a%2Fb,c%2Cd');
    expect(queryPairs({ ...color('form', true), allowReserved: true }, 'a/b?c=[d] e#f&g')).toEqual([
      'color=a/b?c=[d]%20e%23f%26g',
    ]);
  });

  it('leaves out members with the value null', () => {
    expect(queryPairs(color('form', false), [1, null, 2])).toEqual(['color=1,2']);
    expect(queryPairs(color('form', true), { a: null, b: 1 })).toEqual(['b=1']);
    expect(pathText(color('matrix', true), [])).toBe('');
  });
});
