import { sumOfCosts } from './costs.js';

describe('a sum of costs', () => {
  it('says that it lacks calls of unknown price', () => {
    const costs = [
      { amount: '1', currency: 'EUR' },
      { amount: '2', currency: 'EUR', partial: true },
      { amount: '4', currency: 'USD' },
    ];
    expect(sumOfCosts(costs)).toEqual([
      { amount: '3', currency: 'EUR', partial: true },
      { amount: '4', currency: 'USD' },
    ]);
  });
});
