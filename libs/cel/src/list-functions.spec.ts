import type { JsonObject, JsonValue } from '@app/kernel';
import { evaluated, failureOf } from './testing/evaluating.js';

const input: JsonValue = {
  orders: [
    { id: 'a', sum: 30, paid: true },
    { id: 'b', sum: 10, paid: false },
    { id: 'c', sum: 20, paid: true },
  ],
  empty: [],
  nested: [[1, [2]], [3]],
  note: null,
  n: 2,
};

describe('functions on lists', () => {
  it.each<[string, JsonValue]>([
    ['[1, 2, 3].slice(1, 3)', [2, 3]],
    ['[1, 2].slice(2, 2)', []],
    ['input.nested.flatten()', [1, [2], 3]],
    ['input.nested.flatten(2)', [1, 2, 3]],
    ['input.nested.flatten(0)', [[1, [2]], [3]]],
    ['[1, 1.0, "1", null, null, [1], [1.0]].distinct()', [1, '1', null, [1]]],
    ['[{"a": 1, "b": 2}, {"b": 2, "a": 1}].distinct()', [{ a: 1, b: 2 }]],
    ['[3.5, 1.0, 2.0].sort()', [1, 2, 3.5]],
    ['["b", "a", "B"].sort()', ['B', 'a', 'b']],
    ['["\\uffee", "😀", "z"].sort()', ['z', '\uffee', '😀']],
    ['[true, false].sort()', [false, true]],
    ['[duration("2h"), duration("90m")].sort().map(d, string(d))', ['5400s', '7200s']],
    ['[].sort()', []],
    ['input.orders.sortBy(o, o.sum).map(o, o.id)', ['b', 'c', 'a']],
    ['input.orders.sortBy(o, o.paid).map(o, o.id)', ['b', 'a', 'c']],
    ['[1, 2].reverse()', [2, 1]],
    ['input.orders.first().id', 'a'],
    ['input.orders.last().value().id', 'c'],
    ['input.empty.first()', null],
    ['input.empty.last().hasValue()', false],
    ['input.orders.map(o, o.sum).sum()', 60],
    ['[1, 2].sum() + 1', 4],
    ['input.empty.sum() + 1.0', 1],
    ['lists.range(0).sum() + 1', 1],
    ['input.orders.groupBy(o, o.paid)["true"].map(o, o.id)', ['a', 'c']],
    ['[1, 2, 1].groupBy(n, n)', { 1: [1, 1], 2: [2] }],
    ['[1.5].groupBy(n, n)', { '1.5': [1.5] }],
    ['input.orders.reduce(acc, o, 0.0, acc + o.sum)', 60],
    ['[1, 2, 3].reduce(acc, n, 0, acc + n)', 6],
    ['input.orders.reduce(acc, o, [], acc + [o.id])', ['a', 'b', 'c']],
    ['input.orders.reduce(acc, o, {}, acc.merge({"last": o.id}))', { last: 'c' }],
    ['input.orders.reduce(acc, o, null, acc == null || o.sum > acc ? o.sum : acc)', 30],
    ['[[1, 2], [3]].reduce(acc, l, 0, acc + l.reduce(inner, n, 0, inner + n))', 6],
    ['input.empty.reduce(acc, o, "none", o)', 'none'],
    ['lists.range(3)', [0, 1, 2]],
    ['sets.contains([1, 2], [2.0])', true],
    ['sets.contains([1], [1, 2])', false],
    ['sets.equivalent([1, 1], [1])', true],
    ['sets.equivalent([1], [2])', false],
    ['sets.intersects(["a"], ["b", "a"])', true],
    ['sets.intersects([], [1])', false],
    ['{"a": 1, "b": 2}.merge({"b": 3})', { a: 1, b: 3 }],
    ['input.orders[0].merge({"id": "x"}).id', 'x'],
  ])('%s', (source, expected) => {
    expect(evaluated(source, input)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['[1].slice(-1, 1)', 'out_of_bounds'],
    ['[1].slice(0, 2)', 'out_of_bounds'],
    ['[1, 2].slice(2, 1)', 'out_of_bounds'],
    ['[1].flatten(-1)', 'out_of_bounds'],
    ['[1, "a"].sort()', 'type'],
    ['[1, 2.0].sort()', 'type'],
    ['[null].sort()', 'type'],
    ['[[1]].sort()', 'type'],
    ['input.orders.sortBy(o, o)', 'type'],
    ['input.orders.sortBy(o, o.missing)', 'missing_field'],
    ['input.orders.groupBy(o, o)', 'type'],
    ['input.orders.groupBy(o, null)', 'type'],
    ['["a"].sum()', 'type'],
    ['[1, 2.0].sum()', 'type'],
    ['[9223372036854775807, 1].sum()', 'failed'],
    ['lists.range(-1)', 'out_of_bounds'],
    ['lists.range(1000000000)', 'cost'],
    ['input.empty.first().value()', 'missing_field'],
    ['input.note.merge({})', 'type'],
    ['"a".sortBy(x, x)', 'type'],
    ['input.n.sortBy(x, x)', 'type'],
    ['[1].sortBy(1, 2)', 'syntax'],
    ['[1].reduce(acc, acc2, 0, missing)', 'unknown_name'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source, input).code).toBe(code);
  });

  it('keeps members whose names every object has', () => {
    const names = { names: ['constructor', '__proto__', 'toString', 'constructor'] };
    const text = (source: string, data: JsonValue = names): string => JSON.stringify(evaluated(source, data));
    expect(text('input.names.groupBy(n, n)')).toBe(
      '{"constructor":["constructor","constructor"],"__proto__":["__proto__"],"toString":["toString"]}',
    );
    expect(text('input.names.groupBy(n, n)["constructor"]')).toBe('["constructor","constructor"]');
    expect(text('{"a": 1}.merge({"constructor": 2, "__proto__": 3})')).toBe('{"a":1,"constructor":2,"__proto__":3}');
    expect(text('{"constructor": 1}.merge({"b": 2}).constructor')).toBe('1');
    expect(text('"toString" in {"a": 1}.merge({"b": 2})')).toBe('false');
    const data = JSON.parse('{"constructor": {"a": 1}}') as JsonObject;
    expect(text('input.merge({"b": 2}).constructor.a', data)).toBe('1');
  });

  it('bounds what is built from few steps', () => {
    expect(failureOf('lists.range(40).reduce(acc, n, "x", acc + acc)').code).toBe('cost');
    expect(failureOf('lists.range(60).reduce(acc, n, [1], acc + acc)').code).toBe('cost');
    expect(failureOf('lists.range(60).reduce(acc, n, {"a": 1}, {"l": acc, "r": acc})').code).toBe('cost');
    expect(failureOf('lists.range(9000).reduce(acc, n, [], [acc])').code).toMatch(/cost|not_json|failed/);
    expect(failureOf('lists.range(60).reduce(acc, n, {"a": 1}, {"l": acc, "r": acc}) == 1').code).toBe('cost');
  });
});

describe('optional values', () => {
  it.each<[string, JsonValue]>([
    ['input.?note', null],
    ['input.?missing', null],
    ['[input.?missing, input.?n]', [null, 2]],
    ['{"a": input.?missing}', { a: null }],
    ['input.?missing.hasValue()', false],
    ['input.?note.hasValue()', true],
    ['input.?n.orValue(0.0) + 1.0', 3],
    ['input.?missing.orValue("x")', 'x'],
    ['input.?missing.inner.?deep.orValue("x")', 'x'],
    ['input.?missing.or(input.?n)', 2],
    ['input.?missing.or(optional.of(5)).value()', 5],
    ['input.?n.optMap(x, x * 2.0).orValue(0.0)', 4],
    ['input.?missing.optMap(x, x * 2.0)', null],
    ['input[?"n"].value()', 2],
    ['input[?"missing"]', null],
    ['input.orders[?9]', null],
    ['input.orders[?0].id', 'a'],
    ['input.orders[?9].id.orValue("none")', 'none'],
    ['input.orders[?0].optMap(o, input.orders.map(p, p.id == o.id)).value()', [true, false, false]],
    ['optional.of(1)', 1],
    ['optional.none()', null],
    ['optional.none().orValue(1)', 1],
    ['optional.of(1).value() + 1', 2],
    ['[1, 2].first().value() + 1', 2],
    ['input.orders.filter(o, o.?paid.orValue(false)).map(o, o.id)', ['a', 'c']],
    ['input.orders.map(optional, optional.sum)', [30, 10, 20]],
    ['input.orders.map(optional, optional.of(1).value())', [1, 1, 1]],
  ])('%s', (source, expected) => {
    expect(evaluated(source, input)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['input.?missing.value()', 'missing_field'],
    ['optional.none().value()', 'missing_field'],
    ['input.n.optMap(x, x)', 'type'],
    ['input.n.or(input.?n)', 'type'],
    ['optional', 'unknown_name'],
    ['optional.nothing()', 'type'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source, input).code).toBe(code);
  });
});

describe('math', () => {
  it.each<[string, JsonValue]>([
    ['math.greatest(1, 2)', 2],
    ['math.greatest(input.n, 1, 3)', 3],
    ['math.greatest([1.5, 0.5])', 1.5],
    ['math.least(3.0, 2)', 2],
    ['math.least(7)', 7],
    ['math.least(1, 2, 3) + 1', 2],
    ['math.ceil(1.2)', 2],
    ['math.floor(-1.2)', -2],
    ['math.trunc(-1.8)', -1],
    ['math.round(2.5)', 3],
    ['math.round(-2.5)', -3],
    ['math.round(0.49999999999999994)', 0],
    ['math.abs(-2)', 2],
    ['math.abs(-2.5)', 2.5],
    ['math.sign(-3)', -1],
    ['math.sign(0.5)', 1],
    ['math.ceil(input.n)', 2],
  ])('%s', (source, expected) => {
    expect(evaluated(source, input)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['math.greatest([])', 'failed'],
    ['math.greatest("a", 1)', 'type'],
    ['math.least(input.orders)', 'type'],
    ['math.ceil(1)', 'type'],
    ['math.abs("a")', 'type'],
    ['math.abs(-9223372036854775807 - 1)', 'failed'],
    ['math.cell(1.0)', 'type'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source, input).code).toBe(code);
  });
});
