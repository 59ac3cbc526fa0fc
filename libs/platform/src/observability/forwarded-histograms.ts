import type { Histograms, Measurement, MetricDescription, Series } from './metrics.js';

/** The metrics of a thread that sends its measurements to the thread which counts them. */
export class ForwardedHistograms implements Histograms {
  constructor(private readonly send: (measurement: Measurement) => void) {}

  histogram<Label extends string = never>({ name }: MetricDescription<Label>): Series {
    return {
      observe: (value) => this.send({ name, labels: [], value }),
      labels: (...labels) => ({ observe: (value) => this.send({ name, labels, value }) }),
    };
  }
}
