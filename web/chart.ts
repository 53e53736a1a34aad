import uPlot from 'uplot';

/** Time that is shown, s. */
const SPAN = 15;

/** Curves over the last seconds: the newest point is at the right edge. */
export class Chart {
  readonly #host: HTMLElement;
  readonly #names: readonly string[];
  #plot: uPlot | null = null;
  #data: (number | null)[][];

  /** @param names of the curves @param unit of their values */
  constructor(host: HTMLElement, names: readonly string[]) {
    this.#host = host;
    this.#names = names;
    this.#data = [[], ...names.map(() => [])];
    new ResizeObserver(() => this.#resize()).observe(host);
    const repaint = (): void => this.#make();
    window.addEventListener('arm-bridge-theme', repaint);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
    this.#make();
  }

  /** Points of one moment, s; null where there is none. */
  add(time: number, values: readonly (number | null)[]): void {
    const times = this.#data[0]!;
    times.push(time);
    for (const [i, value] of values.entries()) this.#data[i + 1]!.push(value);
    const old = times.findIndex((at) => at !== null && at > time - SPAN);
    if (old > 0) for (const column of this.#data) column.splice(0, old);
    if (this.#host.offsetParent !== null) this.#plot?.setData(this.#data as unknown as uPlot.AlignedData);
  }

  clear(): void {
    this.#data = [[], ...this.#names.map(() => [])];
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#host;
    if (clientWidth > 0) this.#plot?.setSize({ width: clientWidth, height: clientHeight });
  }

  #make(): void {
    this.#plot?.destroy();
    const style = getComputedStyle(this.#host);
    const colour = (name: string): string => {
      // A property with light-dark() is resolved where it is a colour.
      this.#host.style.outlineColor = `var(${name})`;
      return getComputedStyle(this.#host).outlineColor;
    };
    const stroke = colour('--quiet');
    const grid = { stroke: colour('--line'), width: 1 };
    const colours = [colour('--accent'), colour('--goal')];
    this.#plot = new uPlot(
      {
        width: this.#host.clientWidth || 300,
        height: this.#host.clientHeight || 180,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false } },
        axes: [
          { stroke, grid, size: 10, values: () => [] },
          { stroke, grid, font: `11px ${style.fontFamily}`, size: 44 },
        ],
        series: [{}, ...this.#names.map((label, i) => ({ label, stroke: colours[i]!, width: 2 }))],
      },
      this.#data as unknown as uPlot.AlignedData,
      this.#host,
    );
  }
}
