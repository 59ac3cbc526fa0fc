import type { JsonValue } from '@app/kernel';
import { evaluated, failureOf } from './testing/evaluating.js';

describe('json, base64, url and hash', () => {
  it.each<[string, JsonValue]>([
    ['base64.encode(b"hello")', 'aGVsbG8='],
    ['string(base64.decode("aGVsbG8="))', 'hello'],
    ['string(base64.decode("aGVsbG8"))', 'hello'],
    ['string(base64.decode("SGVs\\nbG8=\\r\\n"))', 'Hello'],
    ['string(base64.decode("SGVsbG8_Pz8-"))', 'Hello???>'],
    ['string(base64.decode("SGVsbG8/Pz8+"))', 'Hello???>'],
    ['size(base64.decode(""))', 0],
    ['json.decode("{\\"id\\":1533947986218845197}").id', '1533947986218845197'],
    [`json.decode('{"a": [1, null, true], "b": "x"}')`, { a: [1, null, true], b: 'x' }],
    [`json.decode('{"n": 2}').n * 2.0`, 4],
    [`type(json.decode("1")) == double`, true],
    [`json.decode('{"constructor": 1}').constructor`, 1],
    ['json.encode({"a": [1, 2.5, "x", null, true]})', '{"a":[1,2.5,"x",null,true]}'],
    ['json.encode("a\\"b")', '"a\\"b"'],
    ['json.encode(optional.none())', 'null'],
    [`url.encode("a b/ü!'()*-._~")`, 'a%20b%2F%C3%BC%21%27%28%29%2A-._~'],
    ['url.decode("a%20b%2F%C3%BC+")', 'a b/ü+'],
    ['hash.sha256("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['hash.sha256(b"abc", "base64")', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
    ['hash.md5("abc")', '900150983cd24fb0d6963f7d28e17f72'],
    ['hash.hmacSha256("abc", "key")', '9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab'],
    ['hash.hmacSha256("abc", b"key", "base64")', 'nBluMtwBdfhvSxy4konWYZ3mvuaZ5MN45oMJ7Zehpqs='],
    ['hash.md5(input.name)', '900150983cd24fb0d6963f7d28e17f72'],
  ])('%s', (source, expected) => {
    expect(evaluated(source, { name: 'abc' })).toEqual(expected);
  });

  it.each<[string, string]>([
    ['base64.decode("a")', 'failed'],
    ['base64.decode("a*b=")', 'failed'],
    ['base64.decode("aGVsbG8==")', 'failed'],
    ['base64.encode("text")', 'type'],
    ['json.decode("{a: 1}")', 'failed'],
    ['json.decode("")', 'failed'],
    ['json.decode("1e999")', 'failed'],
    ['json.encode(1.0 / 0.0)', 'not_json'],
    ['json.encode(b"x")', 'not_json'],
    ['url.decode("%zz")', 'failed'],
    ['url.decode("%ff")', 'failed'],
    ['hash.sha256("a", "binary")', 'failed'],
    ['hash.sha256(1)', 'type'],
    ['hash.hmacSha256("a")', 'type'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source).code).toBe(code);
  });

  it('refuses hostile JSON', () => {
    const depth = 500_000;
    expect(failureOf('json.decode(input)', '['.repeat(depth) + ']'.repeat(depth)).code).toBe('failed');
    expect(JSON.stringify(evaluated('json.decode(input)', '{"__proto__":{"x":1},"a":2}'))).toBe(
      '{"__proto__":{"x":1},"a":2}',
    );
  });
});

describe('csv', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['csv.decode(input)', 'id,name\n1,Ann\n2,"B, ""b"""\n', [{ id: '1', name: 'Ann' }, { id: '2', name: 'B, "b"' }]],
    ['csv.decode(input)', '\ufeffid\r\n\r\n1\r2\n', [{ id: '1' }, { id: '2' }]],
    ['csv.decode(input)', 'a,b\n1\n', [{ a: '1', b: '' }]],
    ['csv.decode(input)', 'a,b\n"x\ny",2', [{ a: 'x\ny', b: '2' }]],
    ['csv.decode(input)', '', []],
    ['csv.decode(input)', 'a,b', []],
    ['csv.decode(input, {"header": false})', 'a,b\n1', [['a', 'b'], ['1']]],
    ['csv.decode(input, {"delimiter": ";"})', 'a;b\n1,5;2', [{ a: '1,5', b: '2' }]],
    ['csv.encode(input)', [{ a: 1, b: 'x,y' }, { b: null, c: [1] }], 'a,b,c\r\n1,"x,y",\r\n,,[1]\r\n'],
    ['csv.encode(input)', [['a', 1.5, true], ['say "hi"', 'x\ny', { k: 'v' }]], 'a,1.5,true\r\n"say ""hi""","x\ny","{""k"":""v""}"\r\n'],
    ['csv.encode(input, {"columns": ["b", "a"]})', [{ a: 1, b: 2 }], 'b,a\r\n2,1\r\n'],
    ['csv.encode(input, {"columns": ["b"]})', [], 'b\r\n'],
    ['csv.encode(input, {"delimiter": ";"})', [{ a: '1;2', b: '3,4' }], 'a;b\r\n"1;2";3,4\r\n'],
    ['csv.encode(input)', [], ''],
    ['csv.decode(csv.encode(input), {"header": false})', [['']], [['']]],
  ])('%s of %j', (source, input, expected) => {
    expect(evaluated(source, input)).toEqual(expected);
  }); // prettier-ignore

  it.each<[string, JsonValue]>([
    ['csv.decode(input)', 'a,b\n1,2,3'],
    ['csv.decode(input)', 'a,a\n1,2'],
    ['csv.decode(input)', 'a\n"open'],
    ['csv.decode(input)', 'a\n"x"y'],
    ['csv.decode(input, {"delimiter": ""})', 'a'],
    ['csv.decode(input, {"separator": ";"})', 'a'],
    ['csv.decode(input, {"header": "no"})', 'a'],
    ['csv.encode(input)', [1]],
    ['csv.encode(input)', [{ a: 1 }, [1]]],
    ['csv.encode(input, {"columns": "a"})', [{ a: 1 }]],
  ])('%s of %j fails', (source, input) => {
    expect(failureOf(source, input).code).toMatch(/failed|type/);
  });

  it('keeps columns whose names every object has', () => {
    const rows = evaluated('csv.decode(input)', 'constructor,__proto__\n1,2\n');
    expect(JSON.stringify(rows)).toBe('[{"constructor":"1","__proto__":"2"}]');
    expect(evaluated('csv.encode(csv.decode(input))', 'constructor,__proto__\n1,2\n')).toBe(
      'constructor,__proto__\r\n1,2\r\n',
    );
  });

  it('reads a megabyte', () => {
    const text = 'a,b,c\n' + '12345,abcde,\n'.repeat(80_000);
    expect(evaluated('size(csv.decode(input))', text)).toBe(80_000);
  });
});

describe('xml.decode', () => {
  it.each<[string, JsonValue]>([
    ['<root/>', { root: '' }],
    ['<root> 1 </root>', { root: '1' }],
    ['<?xml version="1.0"?>\n<!-- c -->\n<a><b>x</b><c></c></a>', { a: { b: 'x', c: '' } }],
    ['<a><i>1</i><i>2</i><j>3</j></a>', { a: { i: ['1', '2'], j: '3' } }],
    ['<a id="7" x=\'y &amp; z\'>t</a>', { a: { '@id': '7', '@x': 'y & z', '#text': 't' } }],
    ['<a id="7"/>', { a: { '@id': '7' } }],
    ['<n:a xmlns:n="urn:x"><n:b>1</n:b></n:a>', { 'n:a': { '@xmlns:n': 'urn:x', 'n:b': '1' } }],
    ['<a>x<b>1</b>y</a>', { a: { '#text': 'xy', b: '1' } }],
    ['<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</a>', { a: '<>&"\'A😀' }],
    ['<a><![CDATA[1 < 2 &amp;]]></a>', { a: '1 < 2 &amp;' }],
    ['<a>&nbsp;</a>', { a: '&nbsp;' }],
    ['<!DOCTYPE a [<!ENTITY x "boom">]><a>&x;</a>', { a: '&x;' }],
    ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', { a: '&x;' }],
    ['<a>&amp;lt;</a>', { a: '&lt;' }],
    ['<a>007</a>', { a: '007' }],
  ])('%s', (text, expected) => {
    expect(evaluated('xml.decode(input)', text)).toEqual(expected);
  });

  it('makes lists of the elements that are named', () => {
    const text = '<a><i>1</i><j>2</j></a>';
    expect(evaluated('xml.decode(input, ["i", "k"])', text)).toEqual({ a: { i: ['1'], j: '2' } });
  });

  it.each(['', 'text', '<a>', '<a></b>', '<a/><b/>', '<a b=1/>', '<a>&#0;</a>'])('%s fails', (text) => {
    expect(failureOf('xml.decode(input)', text).code).toBe('failed');
  });

  it('keeps elements whose names every object has', () => {
    const value = evaluated(
      'xml.decode(input)',
      '<constructor><__proto__>1</__proto__><a toString="2"/></constructor>',
    );
    expect(JSON.stringify(value)).toBe('{"constructor":{"__proto__":"1","a":{"@toString":"2"}}}');
  });

  it('refuses hostile XML', () => {
    expect(failureOf('xml.decode(input)', '<a>'.repeat(100_000) + '</a>'.repeat(100_000)).code).toBe('failed');
    const bomb = `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(1_000)}"><!ENTITY c "${'&b;'.repeat(100)}">]><a>${'&c;'.repeat(100)}</a>`;
    expect(evaluated('xml.decode(input).a', bomb)).toBe('&c;'.repeat(100));
  });
});
