import uPlot from 'uplot';

/** Time that is shown of what goes on, s. */
const SPAN = 15;

/** A curve; its colour is one of CSS. */
export interface Curve {
  readonly name: string;
  readonly colour: string;
}

/** Curves over time, in the colours of the page. */
class Plot {
  readonly #host: HTMLElement;
  readonly #options: Partial<uPlot.Options>;
  protected plot: uPlot | null = null;
  protected curves: readonly Curve[];
  /** Times, then the values of each curve. */
  protected data: (number | null)[][];

  protected constructor(host: HTMLElement, curves: readonly Curve[], options: Partial<uPlot.Options>) {
    this.#host = host;
    this.#options = options;
    this.curves = curves;
    this.data = [[], ...curves.map(() => [])];
    new ResizeObserver(() => this.#resize()).observe(host);
    const repaint = (): void => this.make();
    window.addEventListener('arm-bridge-theme', repaint);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
  }

  protected get shown(): boolean {
    return this.#host.offsetParent !== null;
  }

  protected show(): void {
    this.plot?.setData(this.data as unknown as uPlot.AlignedData);
  }

  /** A colour of CSS as a canvas understands it. */
  protected colour(css: string): string {
    // light-dark() is resolved where it is a colour.
    this.#host.style.outlineColor = css;
    return getComputedStyle(this.#host).outlineColor;
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#host;
    if (clientWidth > 0) this.plot?.setSize({ width: clientWidth, height: clientHeight });
  }

  protected make(): void {
    this.plot?.destroy();
    const font = `11px ${getComputedStyle(this.#host).fontFamily}`;
    const stroke = this.colour('var(--quiet)');
    const grid = { stroke: this.colour('var(--line)'), width: 1 };
    const time = this.#options.axes?.[0] ?? {};
    this.plot = new uPlot(
      {
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false } },
        ...this.#options,
        width: this.#host.clientWidth || 300,
        height: this.#host.clientHeight || 180,
        axes: [
          { stroke, grid, font, ...time },
          { stroke, grid, font, size: 44 },
        ],
        series: [
          {},
          ...this.curves.map(({ name, colour }) => ({ label: name, stroke: this.colour(colour), width: 2 })),
        ],
      },
      this.data as unknown as uPlot.AlignedData,
      this.#host,
    );
  }
}

/** Curves over the last seconds: the newest point is at the right edge. */
export class Chart extends Plot {
  constructor(host: HTMLElement, curves: readonly Curve[]) {
    super(host, curves, { axes: [{ size: 10, values: () => [] }] });
    this.make();
  }

  /** Points of one moment, s; null where there is none. */
  add(time: number, values: readonly (number | null)[]): void {
    const times = this.data[0]!;
    times.push(time);
    for (const [i, value] of values.entries()) this.data[i + 1]!.push(value);
    const old = times.findIndex((at) => at !== null && at > time - SPAN);
    if (old > 0) for (const column of this.data) column.splice(0, old);
    if (this.shown) this.show();
  }

  clear(): void {
    this.data = [[], ...this.curves.map(() => [])];
  }
}

/** Curves of something that is over, with a moment in it and a part of it, s. Who points at it chooses the moment. */
export class StillChart extends Plot {
  #marks = { time: 0, begin: 0, end: 0 };

  /** @param chosen called with the moment that somebody points at, s */
  constructor(host: HTMLElement, chosen: (time: number) => void) {
    super(host, [], {
      axes: [{ size: 26, values: (_, times) => times.map((time) => `${time} s`) }],
      hooks: { draw: [() => this.#drawMarks()] },
    });
    const point = ({ buttons, clientX }: PointerEvent): void => {
      if (this.plot === null || buttons === 0) return;
      chosen(this.plot.posToVal(clientX - this.plot.over.getBoundingClientRect().left, 'x'));
    };
    this.make();
    host.addEventListener('pointerdown', point);
    host.addEventListener('pointermove', point);
  }

  /** @param times s @param values of each curve; null where there is none */
  draw(curves: readonly Curve[], times: readonly number[], values: readonly (readonly (number | null)[])[]): void {
    this.curves = curves;
    this.data = [[...times], ...values.map((row) => [...row])];
    this.make();
  }

  mark(marks: { readonly time: number; readonly begin: number; readonly end: number }): void {
    this.#marks = marks;
    this.plot?.redraw(false);
  }

  #drawMarks(): void {
    // The first drawing comes while this is being made.
    if (this.plot === null) return;
    const { ctx, bbox } = this.plot;
    const { time, begin, end } = this.#marks;
    const at = (moment: number): number =>
      Math.min(Math.max(this.plot!.valToPos(moment, 'x', true), bbox.left), bbox.left + bbox.width);
    ctx.save();
    ctx.fillStyle = this.colour('var(--outside)');
    ctx.fillRect(bbox.left, bbox.top, at(begin) - bbox.left, bbox.height);
    ctx.fillRect(at(end), bbox.top, bbox.left + bbox.width - at(end), bbox.height);
    ctx.fillStyle = this.colour('var(--text)');
    ctx.fillRect(at(time) - 1, bbox.top, 2 * devicePixelRatio, bbox.height);
    ctx.restore();
  }
}
