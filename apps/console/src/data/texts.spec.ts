import { labelText, listText } from './texts.js';

describe('labelText', () => {
  it.each([
    ['goodwill', 'Goodwill'],
    ['order_id', 'Order id'],
    ['steps.order.output.customer', 'Customer'],
  ])('calls %s %s', (path, label) => {
    expect(labelText(path)).toBe(label);
  });
});

describe('listText', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b', 'c'], 'a, b and c'],
  ])('joins %j to %j', (parts, text) => expect(listText(parts)).toBe(text));
});
